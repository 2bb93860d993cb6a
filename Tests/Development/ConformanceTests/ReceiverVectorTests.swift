import Conformance
import Foundation
import LinuxSystem
import NMEA
import Recording
import TestSupport
import Testing
import Values

/// Vectors for receivers: generated files with known results, and recorded ones if they are
/// present.
@Suite(.computation) struct ReceiverVectorTests {
  /// Returns a sentence with its checksum appended.
  static func line(_ body: String) -> String {
    let sum = body.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n"
  }

  static let stream =
    ["093001", "093002"].map { time in
      line("GPRMC,\(time),A,5310.25,N,00956.5,E,2.0,84.2,040526,,,A")
        + line("GPGGA,\(time),5310.25,N,00956.5,E,1,10,0.9,121.4,M,41.2,M,,")
    }.joined() + line("GPRMC,093003,V,,,,,,,040526,,,N")

  static func expectation(_ change: (inout String) -> Void = { _ in }) -> String {
    var text = """
      {"schema": "nmea-fixes/1", "input": "walk.nmea", "notBefore": "1980-01-06T00:00:00Z",
       "tolerance": {"timeMs": 1, "lat": 1e-6, "lon": 1e-6, "altMSL": 0.06, "track": 0.11},
       "fixes": [
        {"time": "2026-05-04T09:30:01.000Z", "lat": 53.1708333, "lon": 9.9416667, "altMSL": 121.4,
         "track": 84.2, "mode": 3, "satsUsed": 10, "quality": 1, "hdop": 0.9},
        {"time": "2026-05-04T09:30:02.000Z", "lat": 53.1708333, "lon": 9.9416667}],
       "noFix": [{"time": "2026-05-04T09:30:03.000Z"}], "optional": []}
      """
    change(&text)
    return text
  }

  /// Runs the check on files with these names and contents, passed as a folder or individually.
  func run(_ files: [String: String], paths: (String) -> [String] = { [$0] }) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    return ConformanceCommand.run(["nmea"] + paths(folder.path)).output
  }

  @Test func `a capture in several files is counted once, and unrelated files are ignored`() throws
  {
    let files = [
      "walk.nmea": Self.stream, "walk.expected.json": Self.expectation(), "README.md": "words",
      "other.json": "{\"schema\": \"other/1\"}",
    ]
    #expect(try run(files) == ["1 passed, 0 failed, 0 skipped"])
    let everything = try run(files) { folder in files.keys.sorted().map { "\(folder)/\($0)" } }
    #expect(everything == ["1 passed, 0 failed, 0 skipped"])
  }

  struct Wrong: CustomTestStringConvertible {
    let words: (String, String)
    let complaint: String
    var testDescription: String { complaint }
  }

  @Test(arguments: [
    Wrong(words: ("121.4", "121.5"), complaint: "altMSL is 121.4, expected 121.5"),
    Wrong(words: ("\"mode\": 3", "\"mode\": 2"), complaint: "mode is 3.0, expected 2.0"),
    Wrong(words: ("0.9}", "1.0}"), complaint: "hdop is 0.9, expected 1.0"),
    Wrong(words: ("84.2", "85"), complaint: "track is 84.2, expected 85.0"),
    Wrong(
      words: ("09:30:02", "09:30:04"),
      complaint: "a fix at 2026-05-04T09:30:02.000Z, expected 2026-05-04T09:30:04.000Z"),
    Wrong(words: ("walk.nmea", "gone.nmea"), complaint: "cannot read"),
  ])
  func `the report on a failed capture contains the deviation`(_ wrong: Wrong) throws {
    let text = Self.expectation { $0 = $0.replacing(wrong.words.0, with: wrong.words.1) }
    let lines = try run(["walk.nmea": Self.stream, "walk.expected.json": text])
    #expect(lines.last == "0 passed, 1 failed, 0 skipped")
    #expect(lines.first?.contains(wrong.complaint) == true, "\(lines)")
  }

  @Test func `a missing fix is distinguished from an optional one`() throws {
    let lost = Self.expectation {
      $0 = $0.replacing(
        "\"noFix\"", with: "\"x\": [], \"noFix\""
      ).replacing(
        "53.1708333, \"lon\": 9.9416667}]",
        with: "53.1708333, \"lon\": 9.9416667}, {\"time\": \"2026-05-04T09:30:05Z\"}]")
    }
    let lines = try run(["walk.nmea": Self.stream, "walk.expected.json": lost])
    #expect(lines.first?.hasSuffix("no fix at 2026-05-04T09:30:05.000Z") == true, "\(lines)")
    let optional = Self.expectation {
      $0 = $0.replacing(
        "\"optional\": []", with: "\"optional\": [{\"time\": \"2026-05-04T09:30:02Z\"}]"
      )
      .replacing(
        ",\n  {\"time\": \"2026-05-04T09:30:02.000Z\", \"lat\": 53.1708333, \"lon\": 9.9416667}",
        with: "")
    }
    #expect(
      try run(["walk.nmea": Self.stream, "walk.expected.json": optional])
        == ["1 passed, 0 failed, 0 skipped"])
  }

  @Test func `each NMEA line and each date in a vector file is treated as a separate case`() throws
  {
    let gga = Self.line("GPGGA,093001,5310.25,N,00956.5,E,1,10,0.9,121.4,M,41.2,M,,").dropLast(1)
    let lines = """
      {"schema": "nmea-lines/1", "cases": [
       {"name": "good", "expect": "accept", "line": "\(gga)"},
       {"name": "void", "expect": "no-fix", "line":
        "\(Self.line("GPGGA,093001,,,,,0,00,,,M,,M,,").dropLast(1))"},
       {"name": "low", "expect": "field-dropped", "line":
        "\(Self.line("GPGGA,093001,5310.25,N,00956.5,E,1,10,0.9,x,M,41.2,M,,").dropLast(1))"},
       {"name": "ship", "expect": "ignore", "line": "!AIVDM,1,1,,A,0,0*16"},
       {"name": "nobody", "expect": "ignore", "line": "\(Self.line("GGA,1").dropLast(1))"},
       {"name": "bytes", "expect": "reject", "hex": "244750000d0a"},
       {"name": "wrong", "expect": "accept", "line": "$GPGGA*00"}]}
      """
    let dates = """
      {"schema": "week-rollover/1", "cases": [
       {"reported": "2005-03-15T18:00:00Z", "notBefore": "2017-01-01T00:00:00Z",
        "expected": "2024-10-29T18:00:00Z", "eras": 1},
       {"reported": "2024-07-10T10:11:12Z", "notBefore": "2017-01-01T00:00:00Z",
        "expected": "2024-07-10T10:11:13Z", "eras": 0}]}
      """
    #expect(
      try run(["lines.json": lines, "weeks.json": dates]) == [
        "FAILED lines.json wrong: expected accept, got reject (wrong_checksum)",
        "FAILED weeks.json 2024-07-10T10:11:12Z: got 2024-07-10T10:11:12.000Z",
        "7 passed, 2 failed, 0 skipped",
      ])
  }

  @Test func `reports of a gpsd session are identified by their time, and the latest one is used`()
    throws
  {
    let stream = """
      {"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}\r
      {"class":"TPV","mode":3,"lat":1,"lon":1}\r
      {"class":"TPV","mode":2,"time":"2026-05-04T09:30:01.000Z","lat":53.1,"lon":9.9}\r
      {"class":"TPV","mode":1}\r
      {"class":"TPV","mode":3,"time":"2026-05-04T09:30:01.000Z","lat":53.2,"lon":9.9,"altHAE":160.5,\
      "altMSL":119.3,"geoidSep":41.2}\r

      """
    let expectation = """
      {"schema": "gpsd-fixes/1", "input": "s.jsonl", "tolerance": {"timeMs": 1}, "fixes": [
       {"time": "2026-05-04T09:30:01.000Z", "mode": 3, "lat": 53.2, "lon": 9.9, "altMSL": 119.3,
        "altHAE": 160.5, "geoidSep": 41.2, "eph": 3}]}
      """
    #expect(
      try run(["s.jsonl": stream, "s.expected.json": expectation])
        == ["1 passed, 0 failed, 0 skipped"])
  }

  @Test
  func `with sentences in the documented order, a log yields the same fixes as a live receiver`() {
    let bytes = Array(Self.stream.utf8)
    #expect(fixes([bytes[...]], isLive: true) == fixes([bytes[...]], isLive: false))
  }

  // MARK: Recorded vectors

  private var folder: String { "\(VectorFolderTests.folder)/nmea" }

  private func requireVectors() throws {
    guard FileManager.default.fileExists(atPath: folder) else {
      try Test.cancel("there are no vectors at \(folder); set FOOTBRIDGE_VECTORS to their folder")
    }
  }

  @Test func `every receiver vector passes, and no vector is skipped`() throws {
    try requireVectors()
    let verdict = try Format.nmea.run(paths: [folder])
    for line in verdict.lines { print(line) }
    #expect(verdict.failures.isEmpty)
    #expect(verdict.skips.isEmpty)
    #expect(verdict.passed > 0)
  }

  /// Returns the reports read from a log, which is passed whole or in two parts.
  private func fixes(_ parts: [ArraySlice<UInt8>], isLive: Bool = true) -> [PositionReport] {
    var reader = NMEAReader(floor: WeekRollover.replayFloor, isLive: isLive)
    var reports: [PositionReport] = []
    for part in parts {
      reader.receive(part.span, at: BootTime(nanoseconds: 0)) { reports.append($0) }
    }
    reader.flush { reports.append($0) }
    return reports
  }

  @Test func `a log read as live input yields fixes with the same times as the log read as a file`()
    throws
  {
    try requireVectors()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".nmea") {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
      let bytes = Array(data)
      let times = [true, false].map { isLive in
        fixes([bytes[...]], isLive: isLive).compactMap { report in
          if case .fix(let fix) = report { fix.utc } else { nil }
        }
      }
      #expect(times[0] == times[1], "\(name)")
    }
  }

  @Test(arguments: ["triton400", "blumax-gps009"])
  func `a recorded log split at any position yields the same fixes`(_ name: String) throws {
    try requireVectors()
    let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name).nmea"))
    let bytes = Array(data)
    let whole = fixes([bytes[...]])
    #expect(!whole.isEmpty)
    var different: [Int] = []
    for position in 1..<bytes.count
    where fixes([bytes[..<position], bytes[position...]]) != whole {
      different.append(position)
    }
    #expect(different.isEmpty)
  }

  @Test(.realTime, arguments: ["triton400", "mixed-ubx-small"])
  func `a recorded log read through a terminal yields the same fixes`(_ name: String) throws {
    try requireVectors()
    let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name).nmea"))
    let bytes = Array(data)
    let terminal = try PseudoTerminal()
    let line = try SerialLine(path: terminal.path, speed: .baud9600)
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var reports: [PositionReport] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    var polls = PollSet()
    polls.add(line.number)
    var (sent, received) = (0, 0)
    let end = GivenTime.now.advanced(bySeconds: patience)
    while received < bytes.count, GivenTime.now < end {
      if sent < bytes.count {
        let count = terminal.controller.write(Array(bytes[sent..<min(sent + 100, bytes.count)]))
        sent += max(0, count)
      }
      polls.wait(seconds: 1)
      let count = line.read(into: &buffer)
      guard count > 0 else { continue }
      received += count
      reader.receive(buffer.span.extracting(0..<count), at: BootTime(nanoseconds: 0)) {
        reports.append($0)
      }
    }
    reader.flush { reports.append($0) }
    let (found, expected) = (reports, fixes([bytes[...]]))
    #expect(found == expected)
  }
}
