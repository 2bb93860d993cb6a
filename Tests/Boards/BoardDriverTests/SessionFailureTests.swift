import BoardDriver
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// The messages and remedies for boards that cannot record.
@Suite(.computation) struct SessionFailureTests {
  private static let acceleration = [SensorRequest(signal: "acceleration", rate: 100, range: 8)]

  @Test
  func `if a board does not store the settings written to it, the error suggests a remedy`() throws
  {
    var play = SessionPlay(Self.acceleration)
    // The board's own reply is lost, and the test sends different settings in its place.
    let reply: [UInt8] = [0x03, 0x83]
    let chip = Accelerometer(chip: .bmi270, revision: 1)
    let other = try chip.configuration(rate: 50, range: 16)
    play.lets = { !$0.starts(with: reply) }
    play.subscribe()
    while play.time < 5, !play.written.contains(reply) { play.live(0.01) }
    for _ in 0..<3 {
      #expect(play.failure == nil)
      play.feed(.packet(reply + chip.configure(other).bytes.dropFirst(2)))
    }
    #expect(
      play.failure
        == BoardFailure(
          "the board did not accept the configuration of acceleration",
          remedy: "reset the board with its button and try again"))
  }

  @Test func `a board that returns with a different chip cannot continue its recording`() {
    var play = SessionPlay(Self.acceleration)
    play.subscribe()
    play.live(2)
    #expect(play.isRunning)
    play.relinkSeconds = nil
    play.board.inject(.disconnect, at: play.time)
    play.live(1)
    // This chip measures at a different resolution.
    play.board = SimulatedBoard(
      .metaWearR, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: StillWearer())
    play.board.linkUp()
    play.feed(
      .subscribed(
        DeviceInformation(modelNumber: play.board.model.modelNumber, firmware: "1.2.3")))
    play.live(10)
    #expect(
      play.failure
        == BoardFailure(
          "the board reconnected with modules that cannot send acceleration as before",
          remedy: "start another recording"))
  }
}
