import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// `footbridge forecast` with data from recordings and from a running gateway.
@Suite(.realTime) struct ForecastRunTests {
  private let world: BoardsWorld
  private var configuration: String { world.scratch.path + "/footbridge.conf" }

  init() async throws {
    world = try await BoardsWorld(boards: 1)
    try Data(
      """
      [board left]
      address = \(world.addresses[0])
      [store]
      path = \(world.store)
      [recording]
      when = command
      [status]
      socket = \(world.scratch.path)/status.sock

      """.utf8
    ).write(to: URL(filePath: configuration))
  }

  @Test
  func `the forecast uses a battery charge that the running gateway has not stored yet`()
    async throws
  {
    let text = try #require(WholeFile.text(configuration))
    try Data(text.replacing("when = command", with: "when = always").utf8)
      .write(to: URL(filePath: configuration))
    let program = try world.start("run", "--config", configuration)
    // If a gateway responds slowly, the stored charge is used instead and shown with its age.
    try await wait(for: "a charge of now, which has no age") {
      let board = try await board()
      return board["battery"]?.integer == 99 && board["batteryAge"]?.number == nil
    }
    try await wait(for: "the model") { try await board()["modelAssumed"]?.bool == false }
    let report = try await world.run(
      "report", "--offline", "--config", configuration, "--output", "-")
    #expect(report.output.contains("\n== status ==\n\nWorks"), "\(report.output)")
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  private func board() async throws -> JSON {
    let told = try await world.run("forecast", "--json", "--config", configuration)
    #expect(told.status == 0, "\(told.errors)")
    return try #require(try JSON(parsing: Array(told.output.utf8))["boards"]?.list?.first)
  }

  @Test func `the forecast uses a board's model and charge as known from pairing and recording`()
    async throws
  {
    let before = try await board()
    #expect(before["modelAssumed"]?.bool == true)
    #expect(before["battery"]?.integer == nil && before["hours"]?.list == nil)
    #expect(before["hoursWhenFull"]?.list?.count == 2)
    _ = try await world.run("pair", world.addresses[0], "--name", "left")
    let recorded = try await world.run("record", "left", "--seconds", "2")
    #expect(recorded.status == 0, "\(recorded.errors)")
    let after = try await board()
    #expect(after["model"]?.text == "MetaMotion S" && after["modelAssumed"]?.bool == false)
    #expect(after["battery"]?.integer == 99)
    #expect(try #require(after["batteryAge"]?.number) < 600)
    #expect(after["hours"]?.list?.count == 2)
    await world.endWithoutComplaints()
  }
}
