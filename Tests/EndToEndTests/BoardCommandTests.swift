import Foundation
import TestSupport
import Testing

/// The commands for individual boards, used as in the field.
@Suite(.realTime) struct BoardCommandTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld(boards: 2)
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func list(_ text: String) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
  }

  @Test func `a board is found, paired, identified, streamed and recorded by its name`()
    async throws
  {
    let heard = try await world.run("scan", "--seconds", "2", "--json")
    #expect(heard.status == 0, "\(heard.errors)")
    let devices = try list(heard.output)
    #expect(Set(devices.compactMap { $0["address"] as? String }) == Set(world.addresses))
    #expect(devices.allSatisfy { $0["board"] as? Bool == true && $0["known"] as? Bool == false })

    let paired = try await world.run(
      "pair", world.addresses[0], "--name", "left", "--placement", "left wrist", "--json")
    #expect(paired.status == 0, "\(paired.errors)")
    let board = try object(paired.output)
    #expect(board["name"] as? String == "left")
    #expect(board["model"] as? String == "MetaMotion S")
    #expect(board["firmware"] as? String == "1.7.2")
    #expect(board["battery"] as? Int == 99)
    #expect(board["bonded"] as? Bool == false)

    let blinked = try await world.run("identify", "lef")
    #expect(blinked.status == 0, "\(blinked.errors)")
    #expect(blinked.output == "left blinks green for ten seconds.\n")

    let streamed = try await world.run("stream", "left", "--seconds", "0.5")
    #expect(streamed.status == 0, "\(streamed.errors)")
    #expect(streamed.output.contains(#""name":"left""#))

    let recorded = try await world.run("record", "--board", "left", "--seconds", "1")
    #expect(recorded.status == 0, "\(recorded.errors)")
    #expect(recorded.output.contains("\nleft   acceleration  "), "\(recorded.output)")

    let known = try list(try await world.run("boards", "--json").output)
    try #require(known.map { $0["name"] as? String } == ["left"])
    #expect(known[0]["lastConnected"] is String)
    await world.endWithoutComplaints()
  }

  @Test func `boards without a name get distinct names, which the user can change`() async throws {
    for address in world.addresses {
      let paired = try await world.run("pair", address)
      #expect(paired.status == 0, "\(paired.errors)")
    }
    let ends = world.addresses.map { $0.suffix(5).split(separator: ":").joined() }
    let names = try list(try await world.run("boards", "--json").output)
      .compactMap { $0["name"] as? String }
    try #require(Set(names) == Set(ends.map { "MetaWear-\($0)" }))

    let ambiguous = try await world.run("identify", "metawear")
    #expect(ambiguous.status == 2)
    #expect(ambiguous.errors.contains("error: 'metawear' could mean MetaWear-"))
    #expect(world.addresses.allSatisfy { ambiguous.errors.contains($0) })

    let renamed = try await world.run("boards", "set", "MetaWear-\(ends[1])", "--name", "right")
    #expect(renamed.status == 0, "\(renamed.errors)")
    // Pairing again keeps the user's changes.
    let again = try await world.run("pair", "right", "--json")
    #expect(try object(again.output)["name"] as? String == "right")
    await world.endWithoutComplaints()
  }

  @Test func `a board restarts after a reset and can be used again`() async throws {
    let reset = try await world.run("reset", world.addresses[0])
    #expect(reset.status == 0, "\(reset.errors)")
    #expect(
      reset.output
        == "\(world.addresses[0]) was restarted; it can be connected again in a few seconds.\n")
    let blinked = try await world.run("identify", world.addresses[0], "--haptic")
    #expect(blinked.status == 0, "\(blinked.errors)")
    await world.endWithoutComplaints()
  }

  @Test
  func
    `a forgotten board is unknown to the store and to the Bluetooth service, and is found again`()
    async throws
  {
    _ = try await world.run("pair", world.addresses[0], "--name", "left")
    let forgotten = try await world.run("forget", "left")
    #expect(forgotten.status == 0, "\(forgotten.errors)")
    #expect(forgotten.output == "left was removed.\n")
    #expect(try await world.run("boards", "--json").output == "[]\n")
    let again = try await world.run("forget", world.addresses[0])
    #expect(again.status == 4)
    #expect(again.errors.contains("is unknown to both the store and the Bluetooth service"))
    let heard = try await world.run("scan", "--seconds", "2", "--json")
    #expect(heard.output.contains(world.addresses[0]))
  }

  @Test(arguments: [SIGINT: 130, SIGTERM: 143] as [Int32: Int32])
  func `an interrupted scan prints the boards heard so far`(
    signal: Int32, status: Int32
  ) async throws {
    let program = try world.start("scan", "--seconds", "600")
    #expect(await program.remarks(2) { $0.contains("event=heard") })
    program.signal(signal)
    let outcome = await program.wait()
    #expect(outcome.status == status)
    #expect(world.addresses.allSatisfy { outcome.output.contains($0) }, "\(outcome.errors)")
  }

  @Test(arguments: ["pair", "identify", "reset"])
  func `a search for a missing board times out, and the error lists possible reasons`(
    command: String
  ) async throws {
    let outcome = try await world.run(command, "00:00:00:00:00:01")
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("error: "))
    #expect(outcome.errors.contains("no phone is using it"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: world.store))
  }

  @Test func `an interrupt ends the search for a board with status 130 and without an error`()
    async throws
  {
    let program = try world.start("pair", "00:00:00:00:00:01")
    #expect(await program.remarks { $0.contains("event=connecting") })
    program.signal(SIGINT)
    let outcome = await program.wait()
    #expect(outcome.status == 130, "\(outcome.errors)")
    #expect(!outcome.errors.contains("error:"))
  }
}
