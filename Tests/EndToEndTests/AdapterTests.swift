import Foundation
import TestSupport
import Testing

/// `--adapter` on a computer with two adapters.
@Suite(.realTime) struct AdapterTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld(["--adapters", "2"])
  }

  @Test(arguments: [0, 1])
  func `commands that scan or connect use the chosen adapter`(
    number: Int
  ) async throws {
    let board = world.addresses[0]
    let adapter = world.adapters[number]
    for command in [
      ["record", "--seconds", "0.5"], ["stream", board, "--seconds", "0.5"], ["pair", board],
      ["identify", board], ["reset", board],
    ] {
      let outcome = try await world.run(command + ["--verbose", "--adapter", adapter])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let connected = outcome.errors.split(separator: "\n")
        .filter { $0.contains("event=connected") }
      #expect(!connected.isEmpty)
      #expect(connected.allSatisfy { $0.contains("adapter=hci\(number)") }, "\(connected)")
    }
    let heard = try await world.run("scan", "--seconds", "2", "--adapter", adapter)
    #expect(heard.output.contains(board), "\(heard.errors)")
    await world.endWithoutComplaints()
  }

  @Test(arguments: ["scan", "record", "pair", "identify", "reset", "stream"])
  func `the error for a missing adapter lists the available ones`(command: String)
    async throws
  {
    let board = ["scan", "record"].contains(command) ? [] : [world.addresses[0]]
    let outcome = try await world.run(
      [command, "--adapter", "02:00:00:00:00:01"] + board)
    #expect(outcome.status == 3)
    let text = """
      error: there is no Bluetooth adapter 02:00:00:00:00:01
             plug it in, or use one of these: \(world.adapters[0]) (hci0), \
      \(world.adapters[1]) (hci1)

      """
    #expect(outcome.errors.hasSuffix(text), "\(outcome.errors)")
  }
}
