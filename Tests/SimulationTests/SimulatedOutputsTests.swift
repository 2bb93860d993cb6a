import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedLEDTests {
  @Test func `an LED shows its pattern from the play command to the stop command`() {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(LED.stop(isClearing: true))
    client.write(LED.store(.blink, .green), LED.store(.pulse, .blue))
    #expect(client.board.shiningLights == [])
    client.write(LED.play)
    #expect(client.board.shiningLights == [.green, .blue])
    client.board.linkDown(at: 1)
    client.board.linkUp()
    #expect(client.board.shiningLights == [.green, .blue], "patterns survive a disconnect")
    client.write(LED.playback(.pause))
    #expect(client.board.shiningLights == [])
    client.write(LED.playback(.autoplay))
    client.write(LED.stop(isClearing: true), LED.playback(.autoplay))
    client.write(LED.store(.solid, .red))
    #expect(client.board.shiningLights == [.red])
    client.board.reset(at: 2)
    #expect(client.board.shiningLights == [])
    #expect(client.board.complaints == [])
  }
}

@Suite(.computation) struct SimulatedHapticTests {
  @Test func `the motor vibrates for the requested time`() {
    var client = SimulatedBoardClient(.metaMotionRL)
    let run = Haptic.motor(percent: 50, milliseconds: 500)
    client.write(run)
    #expect(client.board.haptic(at: 0.4) == run)
    #expect(client.board.haptic(at: 0.6) == nil)
    client.write(Haptic.buzzer(milliseconds: 1_000))
    #expect(client.board.haptic(at: 0.9) == .buzzer(milliseconds: 1_000))
    #expect(client.board.complaints == [])
  }
}

@Suite(.computation) struct SimulatedIBeaconTests {
  @Test func `an iBeacon keeps its settings until a reset`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    let identifier = try #require(IBeacon.identifier("326a9006-85cb-9195-d9dd-464cfbbae75a"))
    client.write(identifier, IBeacon.major(78))
    client.write(IBeacon.minor(7_453), IBeacon.receivedPower(dBm: -60))
    client.write(IBeacon.sentPower(dBm: -13), IBeacon.period(milliseconds: 200))
    client.write(IBeacon.enable(isOn: true))
    let beacon = client.board.iBeacon
    #expect(beacon.isOn && beacon.major == 78 && beacon.minor == 7_453)
    #expect(identifier == .identifier(beacon.identifier))
    #expect(beacon.sentPower == -12, "the nearest power of the radio")
    #expect(beacon.periodMilliseconds == 200)
    client.board.reset(at: 1)
    #expect(client.board.iBeacon == SimulatedIBeacon())
    #expect(client.board.complaints == [])
  }
}

@Suite(.computation) struct SimulatedNeoPixelsTests {
  @Test func `a strand's LEDs are set one by one, or all at once when a hold ends`() throws {
    var client = SimulatedBoardClient(.metaMotionC)
    client.write(
      NeoPixel.open(strand: 1, .greenRedBlue, isFast: true, pin: 0, count: 3),
      NeoPixel.colour(strand: 1, index: 2, red: 9, green: 8, blue: 7))
    #expect(client.board.strand(1)?.lights == [[0, 0, 0], [0, 0, 0], [9, 8, 7]])
    client.write(
      NeoPixel.hold(strand: 1, isOn: true), NeoPixel.clear(strand: 1, first: 0, last: 2))
    #expect(client.board.strand(1)?.lights.last == [9, 8, 7])
    client.write(NeoPixel.hold(strand: 1, isOn: false))
    #expect(client.board.strand(1)?.lights.last == [0, 0, 0])
    client.write(
      NeoPixel.rotate(strand: 1, isAway: true, times: NeoPixel.endless, milliseconds: 100),
      NeoPixel.stopRotation(strand: 1), NeoPixel.close(strand: 1))
    #expect(client.board.strand(1) == nil)
    #expect(client.board.complaints == [])
  }
}
