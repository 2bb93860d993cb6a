import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// `footbridge doctor` in a separate process, with a simulated Bluetooth service.
@Suite(.realTime) struct DoctorTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path + "/walks.sqlite"
  }

  private var environment: [String: String] {
    scratch.environment.merging(["FOOTBRIDGE_STORE": store, "no_proxy": "*"]) { $1 }
  }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.footbridge, arguments, environment: environment)
  }

  private struct Report: Decodable {
    var summary: String
    var findings: [Line]

    struct Line: Decodable {
      var check: String
      var level: String
      var text: String
      var remedy: String
    }

    /// Returns a check's findings, each prefixed with its level.
    subscript(check: String) -> [String] {
      findings.filter { $0.check == check }.map { "\($0.level): \($0.text)" }
    }
  }

  private func report(of outcome: Program.Outcome) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
  }

  @Test
  func `the doctor finds the simulated service and its adapters, and leaves no files or processes`()
    async throws
  {
    let outcome = try await run(
      "simulate", "--gps", "--adapters", "2", "--", Program.footbridge, "doctor", "--json")
    let report = try report(of: outcome)
    #expect(report["bluetoothd"] == ["ok: bluetoothd 5.66 is running"])
    #expect(report["rights"] == ["ok: this user may use org.bluez"])
    #expect(report["adapter"].count == 2)
    #expect(report["adapter"].first?.hasPrefix("ok: hci0 00:1A:7D:DA:71:0A") == true)
    #expect(report["destination"] == ["ok: no destinations"])
    #expect(report["store"].count == 1 && report["sync"].count == 1, "\(outcome.output)")
    let faults = report.findings.filter { $0.level == "fault" }
    #expect(outcome.status == (faults.isEmpty ? 0 : 1), "\(outcome.output)")
    #expect(report.findings.allSatisfy { ($0.level == "ok") == $0.remedy.isEmpty })
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["tmp"])
    scratch.expectNothingLeft()
  }

  @Test func `a configuration with faults is reported and does not stop the doctor`()
    async throws
  {
    let file = scratch.path + "/f.conf"
    try "[store]\npth = /srv/w\n".write(toFile: file, atomically: true, encoding: .utf8)
    let outcome = try await run("doctor", "--offline", "--config", file)
    #expect(outcome.status == 1)
    #expect(
      outcome.output.contains("service      cannot use the configuration \(file): 1 fault"),
      "\(outcome)")
    #expect(outcome.output.contains("\(file):2: "), "\(outcome)")
  }

  @Test func `a powered-off adapter and a missing service are reported`() async throws {
    let off = try await run(
      "simulate", "--daemon-fault", "off@0", "--", Program.footbridge, "doctor", "--json")
    #expect(
      try report(of: off)["adapter"].first?.hasSuffix("the next recording will try to switch it on")
        == true, "\(off.output)")
    let gone = try await run(
      "simulate", "--daemon-fault", "gone@0:600", "--", Program.footbridge, "doctor", "--json")
    #expect(gone.status == 1)
    let words = try report(of: gone)["bluetoothd"]
    #expect(
      ["fault: bluetoothd is not running", "fault: bluetoothd is not installed"].contains(
        words.first),
      "\(gone.output)")
  }

  @Test func `an unreachable destination is distinguished from a rejected token`() async throws {
    let file = scratch.path + "/token"
    func write(_ secret: String) throws {
      try Data("\(secret)\n".utf8).write(to: URL(filePath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
    try write("the-token-of-the-receiver")
    let receiver = try await ReceiverProgram(
      into: scratch.path + "/received.sqlite", "--token-file", file,
      environment: scratch.environment)
    try write("another-token")
    let url = "http://127.0.0.1:\(receiver.port)"
    let away = "http://127.0.0.1:\(try FaultServer.deadPort())"
    _ = try await run("destination", "add", "away", "--http", away)
    _ = try await run("destination", "add", "home", "--http", url, "--token-file", file)
    let outcome = try await run("doctor", "--json")
    #expect(outcome.status == 1)
    let lines = try report(of: outcome)["destination"]
    #expect(lines.count == 2)
    #expect(
      lines.first?.hasPrefix("fault: cannot upload to 'home': the server denied access")
        == true, "\(lines)")
    #expect(lines.last?.hasPrefix("warning: cannot upload to 'away': ") == true, "\(lines)")
    #expect(!outcome.output.contains("another-token"))
    let offline = try await run("doctor", "--json", "--offline")
    #expect(try report(of: offline)["destination"] == ["ok: not tested, because of --offline"])
    _ = try await receiver.finish()
  }

  @Test func `text output consists of a summary, followed by the faults with their remedies`()
    async throws
  {
    let outcome = try await run(
      "doctor", "--offline", "--gps", "/dev/nothing-here", "--store", scratch.path + "/a/b.sqlite")
    #expect(outcome.status == 1 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("The doctor found "), "\(outcome.output)")
    #expect(
      outcome.output.contains(
        """

        fault    receiver     no receiver at /dev/nothing-here
                                plug it in; 'footbridge gps' finds receivers

        """), "\(outcome.output)")
  }
}
