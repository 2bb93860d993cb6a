import Foundation
import TestSupport
import Testing

/// The demo as a user runs it, with checks of its output and files.
@Suite(.realTime) struct DemoTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Returns the report from `demo --json`, after the checks that apply to every report.
  private func report(_ outcome: Program.Outcome) throws -> [String: Any] {
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 1, "one object and nothing else on standard output")
    let parsed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(parsed as? [String: Any])
  }

  @Test(arguments: [1, 3])
  func `every sample that the boards sent is stored, nearly always with a position`(boards: Int)
    async throws
  {
    let kept = scratch.path + "/kept"
    let outcome = try await Program.run(
      Program.footbridge,
      ["demo", "--seconds", "3", "--boards", "\(boards)", "--json", "--keep", kept],
      environment: scratch.environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try report(outcome)
    let number = { (key: String) in report[key] as? Int ?? -1 }
    #expect(number("sent") > 500 * boards)
    #expect(number("sent") == number("stored") + number("lost"))
    #expect(number("lost") == 0)
    #expect(number("received") == number("stored"))
    #expect(number("positioned") >= number("stored") - 210 * boards)
    #expect(number("notifications") > number("stored") / 2)
    #expect(number("chunks") == 2 * boards)
    #expect((report["lostByReason"] as? [String: Int])?.isEmpty == true)
    // A busy machine takes longer, so it records more samples.
    let seconds = report["seconds"] as? Double ?? 0
    #expect(seconds > 2.5)
    #expect(Double(number("sent")) < (seconds + 1) * 250 * Double(boards))
    let each = try #require(report["boards"] as? [[String: Any]])
    #expect(each.count == boards)
    #expect(each.reduce(0) { $0 + ($1["stored"] as? Int ?? 0) } == number("stored"))
    #expect(each.allSatisfy { $0["name"] as? String == "MetaWear" })

    let csv = try String(contentsOfFile: kept + "/samples.csv", encoding: .utf8)
    let rows = csv.split(separator: "\n")
    #expect(rows.count == number("stored") + 1)
    let header =
      "time_utc,seconds,board,signal,x,y,z,w,lat,lon,alt_msl,fix_quality,fix_age,fix_method,"
      + "fix_error,time_source,name,unit,range"
    #expect(rows.first.map(String.init) == header)
    let track = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: kept + "/track.geojson")))
    #expect((track as? [String: Any])?["type"] as? String == "FeatureCollection")
    let files = try FileManager.default.contentsOfDirectory(atPath: kept).sorted()
    #expect(files == Self.kept)
    scratch.expectNothingLeft()
  }

  /// The files that a demo keeps.
  private static let kept = [
    "footbridge.sqlite", "samples.csv", "samples.events.csv", "samples.fixes.csv",
    "samples.gaps.csv", "samples.hazards.csv", "samples.session.json", "track.geojson",
  ]

  @Test func `no two samples of a stream have the same time, and time never runs backwards`()
    async throws
  {
    let kept = scratch.path + "/kept"
    let outcome = try await Program.run(
      Program.footbridge, ["demo", "--seconds", "2", "--json", "--keep", kept],
      environment: scratch.environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let csv = try String(contentsOfFile: kept + "/samples.csv", encoding: .utf8)
    var last: [Substring: Double] = [:]
    for row in csv.split(separator: "\n").dropFirst() {
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      let seconds = try #require(Double(fields[1]))
      if let before = last[fields[3]] { #expect(seconds > before) }
      last[fields[3]] = seconds
    }
    #expect(last.count == 2)
  }

  @Test
  func `without a terminal, the demo's report is a table, and its temporary store is deleted`()
    async throws
  {
    let outcome = try await Program.run(
      Program.footbridge, ["demo", "--seconds", "1"], environment: scratch.environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("samples stored"))
    #expect(
      outcome.output.contains(
        "Every sample the boards sent is stored, or counted as lost with a reason."))
    #expect(!outcome.output.contains("\u{1b}"))
    scratch.expectNothingLeft()
  }

  @Test(arguments: [SIGINT: 130, SIGTERM: 143, SIGHUP: 143] as [Int32: Int32])
  func `a signal during the demo ends it cleanly and keeps its samples`(
    signal: Int32, status: Int32
  ) async throws {
    let kept = scratch.path + "/kept"
    let program = try Program(
      Program.footbridge, ["demo", "--seconds", "600", "--keep", kept],
      environment: scratch.environment)
    let line = await program.line() { $0.contains("1 of 1 board streaming") }
    #expect(line != nil)
    program.signal(signal)
    let outcome = await program.wait()
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(outcome.output.contains("Every sample the boards sent is stored"))
    let files = try FileManager.default.contentsOfDirectory(atPath: kept).sorted()
    #expect(files == Self.kept)
    scratch.expectNothingLeft()
  }

  @Test func `'demo --fast' loses samples, counts the losses, and uploads every chunk`()
    async throws
  {
    let kept = scratch.path + "/kept"
    let outcome = try await Program.run(
      Program.footbridge, ["demo", "--fast", "--json", "--keep", kept],
      environment: scratch.environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try report(outcome)
    let walks = try #require(report["walks"] as? [[String: Any]])
    #expect(walks.map { $0["name"] as? String } == ["morning", "afternoon"])
    var chunks = 0
    for walk in walks {
      let number = { (key: String) in walk[key] as? Int ?? -1 }
      // Two streams at 100 Hz run for 25 and 15 minutes, and each loss lasts at most a minute.
      #expect(number("stored") > 165_000)
      #expect(number("stored") == number("arrived"))
      #expect(number("lost") >= number("sent") - number("arrived"))
      #expect(number("positioned") > number("stored") / 2)
      chunks += number("chunks")
      let csv = try String(
        contentsOfFile: kept + "/\(walk["name"] ?? "")/samples.csv", encoding: .utf8)
      #expect(csv.utf8.count { $0 == UInt8(ascii: "\n") } == number("stored") + 1)
    }
    #expect((walks[0]["lostByReason"] as? [String: Int])?["link"] == 80)
    // A packet contains two or three samples.
    let dropped = (walks[0]["sent"] as? Int ?? 0) - (walks[0]["arrived"] as? Int ?? 0)
    #expect(dropped >= 80)
    let server = try #require(report["server"] as? [String: Int])
    #expect(server["chunks"] == chunks)
    #expect(server["repeated"] ?? 0 > 0)
    #expect(report["seconds"] as? Int ?? 0 >= 25 * 3_600)
    // The store knows the destination, so the store remains usable after the demo.
    let uploads = try await Program.run(
      Program.footbridge, ["uploads", "--json", "--store", kept + "/footbridge.sqlite"],
      environment: scratch.environment)
    #expect(uploads.output.contains("\"server\""))
    scratch.expectNothingLeft()
  }

  @Test(arguments: [
    ["--fast", "--sensor", "pressure"], ["--fast", "--sensor", "steps"],
    ["--seconds", "5", "--sensor", "acceleration@100:8", "--sensor", "steps"],
  ])
  func `a demo with sensors whose samples have no counters succeeds`(
    _ arguments: [String]
  ) async throws {
    let outcome = try await Program.run(
      Program.footbridge, ["demo", "-q"] + arguments, environment: scratch.environment)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test func `'demo --fast' rejects a folder with a store, and ends at its first failure`()
    async throws
  {
    let kept = scratch.path + "/kept"
    let first = try await Program.run(
      Program.footbridge, ["demo", "--seconds", "1", "--keep", kept],
      environment: scratch.environment)
    #expect(first.status == 0)
    let again = try await Program.run(
      Program.footbridge, ["demo", "--fast", "--keep", kept], environment: scratch.environment)
    #expect(again.status == 1)
    #expect(again.errors.contains("footbridge.sqlite"))
    let failed = try await Program.run(
      Program.footbridge, ["demo", "--fast", "--sensor", "voltage_pin9"],
      environment: scratch.environment)
    #expect(failed.status == 1)
    #expect(!failed.output.contains("Every sample"))
  }

  @Test func `a signal during 'demo --fast' ends the demo cleanly`() async throws {
    let program = try Program(
      Program.footbridge, ["demo", "--fast", "--boards", "3"], environment: scratch.environment)
    let line = await program.line() { $0.contains("40 packets are lost over the air") }
    #expect(line != nil)
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 130, "\(outcome.errors)")
    #expect(outcome.output.contains("Every sample that arrived is stored once"))
    #expect(!outcome.output.contains("The server has"))
    scratch.expectNothingLeft()
  }

  @Test func `a killed demo leaves no bus daemon behind`() async throws {
    let program = try Program(
      Program.footbridge, ["demo", "--seconds", "600"], environment: scratch.environment)
    try await wait(for: "the bus daemon runs") { !scratch.busDaemons.isEmpty }
    program.signal(SIGKILL)
    let outcome = await program.wait()
    #expect(outcome.status == -SIGKILL)
    try await wait(for: "the bus daemon is gone") { scratch.busDaemons.isEmpty }
  }
}
