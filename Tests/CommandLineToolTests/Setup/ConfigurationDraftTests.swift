import BoardDriver
import Foundation
import Gateway
import Positioning
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// Changes to the text of a configuration, one key at a time.
@Suite(.computation) struct ConfigurationDraftTests {
  private func draft(_ text: String?, _ next: GatewayConfiguration) throws -> String {
    var draft = ConfigurationDraft(text.map { Array($0.utf8) }, file: "f")
    try draft.say(next)
    let reading = ConfigurationReading(draft.bytes, file: "f")
    #expect(reading.faults.isEmpty)
    #expect(reading.configuration == next)
    return String(decoding: draft.bytes, as: UTF8.self)
  }

  private func reading(_ text: String) -> GatewayConfiguration {
    ConfigurationReading(Array(text.utf8), file: "f").configuration
  }

  private static let text = """
    ; our trolley
    [board left]
    ; the new one
    address = C8:4B:AA:97:50:05 ; red dot
    placement = left ankle
    [board right]
    address = C8:4B:AA:98:51:08
    [recording]
    seal = 5

    """

  @Test func `the changes that setup shows include the boards that it removes`() throws {
    var next = reading(Self.text)
    next.boards = [
      ConfiguredBoard(name: "heel", address: next.boards[1].address, placement: nil)
    ]
    #expect(
      ConfigurationDraft.changes(
        from: Array(Self.text.utf8), to: Array(try draft(Self.text, next).utf8)) == [
          "Changes: added board heel.address, removed board left.address, removed board "
            + "left.placement, removed board right.address.",
          "[board left] with C8:4B:AA:97:50:05 is removed.",
        ])
    #expect(
      ConfigurationDraft.changes(from: Array(Self.text.utf8), to: Array(Self.text.utf8))
        == ["Changes: none."])
  }

  @Test func `if another program edits the configuration during setup, its changes are kept`()
    throws
  {
    let former = reading(Self.text)
    var answered = former
    answered.rule.time = .command
    answered.recording.sealMinutes = 5
    let meanwhile = reading(
      Self.text.replacing("seal = 5", with: "seal = 7\nwearer = P07"))
    let next = answered.changes(since: former, in: meanwhile)
    #expect(next.rule.time == .command)
    #expect(next.recording.sealMinutes == 7 && next.recording.wearer == "P07")
    answered.boards = [ConfiguredBoard(name: "belt", address: BoardAddress(value: 7))]
    answered.recording.receiver = nil
    #expect(answered.changes(since: former, in: meanwhile).boards.map(\.name) == ["belt"])
  }

  @Test
  func `the configuration file is unchanged if every key already has the value chosen in setup`()
    throws
  {
    #expect(try draft(Self.text, reading(Self.text)) == Self.text)
  }

  @Test
  func `setup removes, renames, adds and moves boards in the configuration, and keeps comments`()
    throws
  {
    var next = reading(Self.text)
    next.boards[0].placement = "left heel"
    next.boards[1].name = "belt"
    next.boards.append(
      ConfiguredBoard(name: "third", address: BoardAddress(value: 7), placement: "chest"))
    next.recording.sealMinutes = 15
    #expect(
      try draft(Self.text, next) == """
        ; our trolley
        [board left]
        ; the new one
        address = C8:4B:AA:97:50:05 ; red dot
        placement = left heel
        [recording]

        [board belt]
        address = C8:4B:AA:98:51:08

        [board third]
        address = 00:00:00:00:00:07
        placement = chest

        """)
  }

  @Test func `a new configuration file is based on the example, and keeps its values as comments`()
    throws
  {
    var next = GatewayConfiguration()
    next.boards = [ConfiguredBoard(name: "left", address: BoardAddress(value: 7), placement: nil)]
    next.recording.sensors = [SensorRequest(signal: "acceleration", rate: 50, range: 8)]
    next.recording.receiver = PositionSource("/dev/gps0")
    next.rule.time = .command
    next.destinations = ["home"]
    next.statusSocket = nil
    next.recording.gateway = "trolley"
    let text = try draft(nil, next)
    #expect(text.contains("\n;sensor = angular_velocity@100:2000\nsensor = acceleration@50:8\n"))
    #expect(text.contains("\nsocket =\n") && text.contains("\nname = trolley\n"))
    #expect(try draft(text, next) == text)
    #expect(reading(try draft(text, GatewayConfiguration())) == GatewayConfiguration())
  }
}
