import Foundation
import TestSupport
import Testing

/// `record` with a simulated system bus, and its error messages without a bus.
@Suite(.realTime) struct RecordTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func record(
    _ arguments: String..., bus: String
  ) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge,
      ["record", "--store", scratch.path + "/data/store.sqlite"] + arguments,
      environment: scratch.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": bus]) { $1 })
  }

  @Test func `the boards and the receiver of a simulated system are recorded and exported`()
    async throws
  {
    let world = try Program(
      Program.footbridge, ["simulate", "--json", "--gps", "--boards", "2"],
      environment: scratch.environment)
    let line = try #require(await world.line())
    let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let bus = try #require(parsed?["dbus"] as? String)
    let gps = try #require(parsed?["gps"] as? String)
    let outcome = try await record(
      "--boards", "2", "--gps", gps, "--seconds", "2.5", "--export", scratch.path + "/out",
      bus: bus)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let csv = try String(contentsOfFile: scratch.path + "/out/samples.csv", encoding: .utf8)
    let rows = csv.split(separator: "\n")
    #expect(rows.count > 800)
    #expect(rows.last?.contains("autonomous") == true)
    // Two boards share the adapter. The simulated radio has no connection events, so no achieved
    // interval is shown.
    #expect(outcome.output.contains(": link requested 15.0 ms / achieved"), "\(outcome.output)")
    let rates = outcome.output.split(separator: "\n").filter { $0.contains("  100.0 Hz  ") }
    #expect(rates.count == 4, "\(outcome.output)")
    for line in rates {
      let words = line.split(separator: " ").suffix(4).map(String.init)
      #expect([words[0], words[1], words[3]] == ["100.0", "Hz", "Hz"], "\(line)")
      // The board's clock deviates, and a busy machine may delay the start or the end of this short
      // recording.
      let achieved = try #require(Double(words[2]))
      #expect(abs(achieved - 100) < 10, "\(line)")
    }

    // The boards were left in a clean state, so a second recording finds them again.
    let again = try await record("--boards", "2", "--seconds", "1", bus: bus)
    #expect(again.status == 0, "\(again.errors)")
    world.signal(SIGTERM)
    let ended = await world.wait()
    #expect(!ended.errors.contains("complaint"), "\(ended.errors)")
  }

  @Test func `a recording without a fixed duration ends successfully on an interrupt`() async throws
  {
    let world = try await BoardsWorld(boards: 2)
    let program = try world.start(
      "record", world.addresses[1], world.addresses[0], "--gps", "/dev/nothing-here")
    #expect(await program.line { $0.contains("2 of 2 boards streaming") } != nil)
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output.contains(
        " samples have a position: /dev/nothing-here: No such file or directory\n"),
      "\(outcome.output)")
    let limited = try world.start("record", world.addresses[0], "--seconds", "600")
    #expect(await limited.line { $0.contains("1 of 1 board streaming") } != nil)
    limited.signal(SIGTERM)
    #expect(await limited.wait().status == 143)
    let both = try await world.run("record", world.addresses[0], "--boards", "2")
    #expect(both.status == 2)
    #expect(both.errors.hasPrefix("error: '--boards' and BOARD cannot be used together\n"))
    await world.endWithoutComplaints()
  }

  @Test func `a receiver that is not a serial port is rejected before the bus is opened`()
    async throws
  {
    let outcome = try await record("--gps", "/etc/passwd", bus: "unix:path=/nonexistent/bus")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        error: cannot use /etc/passwd as a GPS receiver: it is not a serial port
               to replay a file of sentences, use file:/etc/passwd

        """)
  }

  @Test func `without a bus, the command exits with the status for a missing daemon`() async throws
  {
    let outcome = try await record(bus: "unix:path=/nonexistent/bus")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("error: cannot connect to the system bus"))
    #expect(outcome.errors.contains("\n       start D-Bus"))
  }
}
