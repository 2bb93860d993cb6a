import Coding
import Conformance
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The check that `audit` performs, applied to recordings that the test creates.
@Suite(.computation) struct AuditFolderTests {
  /// A folder of recordings that is removed when the test ends.
  private struct Recordings {
    let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    func write(_ bytes: [UInt8], to name: String) throws {
      try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    }

    /// Adds a compressed table of `rows` rows at 100 Hz, from which the rows `lost` are omitted.
    func table(_ name: String, _ unit: String, rows: Int, lost: Range<Int> = 0..<0) throws {
      var text = "epoch (ms),time (-13:00),elapsed (s),x-axis (\(unit))\n"
      for row in 0..<rows where !lost.contains(row) {
        let elapsed = String(format: "%.3f", Double(row) / 100)
        let value = String(format: "%.3f", sin(Double(row)))
        text += "\(1_700_000_000_000 + 10 * row),2023-11-14T22:13:20.000,\(elapsed),\(value)\n"
      }
      try write(try #require(Gzip.pack(Array(text.utf8))), to: name)
    }

    /// Writes a manifest with a recording of an accelerometer and a gyroscope, one without facts
    /// about sensors, and one in another format.
    func list(_ accelerometer: String, _ gyroscope: String, _ truth: String) throws {
      let manifest = """
        [{"files": {"accelerometer": "a.csv.gz", "gyroscope": "g.csv.gz"}, "kind": "metabase",
          "format": "metabase-csv", "truth": {\(truth), "sensors": {
            "accelerometer": {\(accelerometer)}, "gyroscope": {\(gyroscope)}}}},
         {"files": {"data": "b.csv.gz"}, "format": "metabase-csv", "truth": {"steps": 0}},
         {"files": {"left": "l.csv.gz"}, "format": "txyz", "truth": {"steps": 7}}]
        """
      try write(Array(manifest.utf8), to: "manifest.json")
    }
  }

  private func run(_ path: String) -> ConformanceCommand.Outcome {
    ConformanceCommand.run(["audit", path])
  }

  @Test func `the recordings in the vectors pass the check`() throws {
    let path = "\(VectorFolderTests.folder)/real"
    guard FileManager.default.fileExists(atPath: path) else {
      try Test.cancel("there are no recordings at \(path); set FOOTBRIDGE_VECTORS to their folder")
    }
    let outcome = run(path)
    for line in outcome.output + outcome.complaint { print(line) }
    #expect(outcome.status == 0)
    let last = try #require(outcome.output.last)
    let passed = try #require(last.split(separator: " ").first.flatMap { Int($0) })
    #expect(passed >= 50)
  }

  private static let regular = """
    "rows": 3000, "nominal_hz": 100.0, "exactly_regular": true, "spacing_ms_counts": {"10": 2999},
    "largest_gap_ms": 10, "rows_after_gap_over_1_5_spacings": 0, "hz_by_times": 100.0,
    "elapsed_agrees_with_epoch": true
    """
  private static let withGap = """
    "rows": 2980, "exactly_regular": false, "spacing_ms_counts": {"10": 2978, "210": 1},
    "largest_gap_ms": 210, "rows_after_gap_over_1_5_spacings": 1, "distinct_spacings": 2
    """

  @Test func `correct facts pass, and a recording without facts is skipped`() throws {
    let recordings = try Recordings()
    try recordings.table("a.csv.gz", "g", rows: 3_000)
    try recordings.table("g.csv.gz", "deg/s", rows: 3_000, lost: 100..<120)
    try recordings.list(
      Self.regular, Self.withGap, #""count_difference": 20, "last_difference_ms": 0"#)
    let outcome = run(recordings.path)
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.complaint)")
    #expect(
      outcome.output.suffix(2) == [
        "skipped b: the manifest does not state the facts about its sensors",
        "3 passed, 0 failed, 1 skipped",
      ])
  }

  @Test func `an incorrect fact in the manifest makes the check of its file or recording fail`()
    throws
  {
    let recordings = try Recordings()
    try recordings.table("a.csv.gz", "g", rows: 3_000)
    try recordings.table("g.csv.gz", "deg/s", rows: 3_000, lost: 100..<121)
    try recordings.list(Self.regular, Self.withGap, #""count_difference": 20"#)
    let outcome = run(recordings.path)
    #expect(outcome.status == 1)
    #expect(outcome.output.last == "1 passed, 2 failed, 1 skipped")
    #expect(outcome.output.contains { $0.contains("count_difference: expected 20, found 21") })
    #expect(outcome.output.contains { $0.contains("largest_gap_ms: expected 210, found 220") })
  }

  @Test
  func `a missing manifest or file causes exit status 2, and the error names the missing file`()
    throws
  {
    let recordings = try Recordings()
    #expect(run(recordings.path).status == 2)
    try recordings.list(Self.regular, Self.withGap, #""count_difference": 20"#)
    let outcome = run(recordings.path)
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first?.contains("a.csv.gz") == true)
  }
}
