import Conformance
import Foundation
import TestSupport
import Testing
import Coding

/// The check of the walking detector, applied to recordings that the test creates.
@Suite(.computation) struct GaitFolderTests {
  /// A folder of recordings that is removed when the test ends.
  private final class Recordings {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    var path: String { url.path }

    init() throws {
      for name in ["sisfall", "lab"] {
        try FileManager.default.createDirectory(
          at: url.appending(path: name), withIntermediateDirectories: true)
      }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: url.appending(path: name))
    }

    func pack(_ bytes: [UInt8], to name: String) throws {
      let packed = try #require(Gzip.pack(bytes))
      try Data(packed).write(to: url.appending(path: name))
    }

    /// Adds a recording of a person who moves up and down `rate` times per second, with an
    /// amplitude of `strength` g.
    func add(person: String, activity: String, strength: Double, rate: Double = 1.8) throws {
      var bytes: [UInt8] = []
      for row in 0..<3_000 {
        let value = 1 + strength * sin(Double(row) / 100 * rate * 2 * .pi)
        let counts = UInt16(bitPattern: Int16(256 * value))
        bytes += [UInt8(counts & 0xff), UInt8(counts >> 8)] + [UInt8](repeating: 0, count: 10)
      }
      try pack(bytes, to: "sisfall/\(person).i16.gz")
      try write(
        """
        {"hertz": 100, "recordings": [{"activity": "\(activity)", "first": 0, "rows": 3000}]}
        """, to: "sisfall/\(person).json")
    }

    /// Adds ten seconds of rest, a walk, and another period of rest. The reference detects a bout
    /// from `start` to `end`.
    func add(trial: String, start: Double, end: Double) throws {
      var text = "ax_g,ay_g,az_g,gx_dps,gy_dps,gz_dps\n"
      for row in 0..<4_000 {
        let isWalk = (1_000..<3_000).contains(row)
        let value = isWalk ? 1 + 0.2 * sin(Double(row) / 100 * 1.8 * 2 * .pi) : 1
        text += "\(value),0,0,0,0,0\n"
      }
      try pack(Array(text.utf8), to: "lab/\(trial).csv.gz")
      try write(
        """
        {"hertz": 100, "rows": 4000,
         "reference": {"INDIP": [{"start": \(start), "end": \(end)}]}}
        """, to: "lab/\(trial).json")
    }
  }

  private func run(_ path: String) -> ConformanceCommand.Outcome {
    ConformanceCommand.run(["gait", path])
  }

  @Test func `every gait recording in the vectors passes the check`() throws {
    let path = "\(VectorFolderTests.folder)/gait"
    guard FileManager.default.fileExists(atPath: path) else {
      try Test.cancel("there are no recordings at \(path); set FOOTBRIDGE_VECTORS to their folder")
    }
    let outcome = run(path)
    for line in outcome.output + outcome.complaint { print(line) }
    #expect(outcome.status == 0)
    #expect(outcome.output.last?.contains(" passed, 0 failed, ") == true)
  }

  @Test
  func `walking must be detected, sitting must not count as walking, and stairs are not judged`()
    throws
  {
    let recordings = try Recordings()
    try recordings.add(person: "A", activity: "D01", strength: 0.2)
    try recordings.add(person: "B", activity: "D09", strength: 0)
    try recordings.add(person: "C", activity: "D05", strength: 0.2)
    try recordings.add(trial: "T", start: 10.2, end: 29.8)
    let outcome = run(recordings.path)
    #expect(outcome.status == 0)
    // A lacks B's activity, B lacks A's, and C lacks both.
    #expect(outcome.output.last == "3 passed, 0 failed, 5 skipped")
    #expect(outcome.output.contains("skipped C D05: partly walking, so it is not judged"))
    // Each subfolder alone is also a valid folder of recordings.
    #expect(run("\(recordings.path)/lab/").output.last == "1 passed, 0 failed, 0 skipped")
  }

  @Test func `a missed walk or a false walk detection fails the gait check`() throws {
    let recordings = try Recordings()
    // The person moves too slowly to be walking.
    try recordings.add(person: "A", activity: "D02", strength: 0.2, rate: 0.3)
    try recordings.add(person: "B", activity: "D14", strength: 0.2)
    // In S, the reference detected a walk before the real one. In T, it detected the walk too
    // early.
    try recordings.add(trial: "S", start: 0.2, end: 8.5)
    try recordings.add(trial: "T", start: 8, end: 25)
    let outcome = run(recordings.path)
    #expect(outcome.status == 1)
    #expect(outcome.output.last?.hasPrefix("0 passed, 4 failed, ") == true)
    #expect(
      outcome.output.contains(
        "FAILED A D01-D04: found for 0.00 % of the time, expected at least 98.0 %"))
    #expect(outcome.output.contains("FAILED S at 0.20 s: not found"))
  }

  @Test
  func `a missing, empty or omitted gait folder causes an error with a remedy and exit status 2`()
    throws
  {
    let recordings = try Recordings()
    for path in [recordings.path, "\(recordings.path)/nowhere", "\(recordings.path)/lab"] {
      let outcome = run(path)
      #expect(outcome.status == 2)
      #expect(outcome.output.isEmpty)
      let complaint = try #require(outcome.complaint.first)
      #expect(complaint.hasPrefix("error: cannot read \(path): "))
      #expect(complaint.contains("specify a folder that contains sisfall/ or lab/"))
    }
    #expect(ConformanceCommand.run(["gait"]).complaint == [ConformanceCommand.usage])
  }

  @Test(arguments: [
    ("sisfall/A.json", "{"), ("sisfall/A.json", "{\"hertz\": 100}"), ("sisfall/A.json", nil),
    ("sisfall/A.json", "{\"hertz\": 0, \"recordings\": []}"),
    ("sisfall/A.json", "{\"hertz\": 100, \"recordings\": [{\"activity\": \"D01\"}]}"),
    (
      "sisfall/A.json",
      "{\"hertz\": 100, \"recordings\": [{\"activity\": \"D01\", \"first\": 1, \"rows\": 3000}]}"
    ),
    ("sisfall/A.i16.gz", "no gzip"), ("sisfall/A.i16.gz", ""), ("lab/T.csv.gz", "no gzip"),
    ("lab/T.json", "{\"hertz\": 100, \"rows\": 4000, \"reference\": {}}"),
    ("lab/T.json", "{\"hertz\": 100, \"rows\": 1, \"reference\": {\"INDIP\": []}}"),
    (
      "lab/T.json",
      "{\"hertz\": 100, \"rows\": 4000, \"reference\": {\"INDIP\": [{\"start\": null}]}}"
    ),
  ])
  func `the error for a damaged file names the file and a remedy`(file: String, text: String?)
    throws
  {
    let recordings = try Recordings()
    try recordings.add(person: "A", activity: "D01", strength: 0.2)
    try recordings.add(trial: "T", start: 10.2, end: 29.8)
    if let text {
      try recordings.write(text, to: file)
    } else {
      try FileManager.default.removeItem(at: recordings.url.appending(path: file))
    }
    let outcome = run(recordings.path)
    #expect(outcome.status == 2)
    let complaint = try #require(outcome.complaint.first)
    #expect(complaint.hasPrefix("error: cannot "))
    #expect(complaint.contains(file.split(separator: ".")[0]))
    #expect(complaint.contains("\n       "))
  }

  @Test func `a truncated recording is rejected instead of misread`() throws {
    let recordings = try Recordings()
    try recordings.add(person: "A", activity: "D01", strength: 0.2)
    let file = recordings.url.appending(path: "sisfall/A.i16.gz")
    let whole = try Data(contentsOf: file)
    for length in stride(from: 0, to: whole.count, by: 11) {
      try whole.prefix(length).write(to: file)
      #expect(run(recordings.path).status == 2, "\(length) bytes")
    }
  }
}
