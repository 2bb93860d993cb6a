import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedMagnetometerTests {
  /// Subscribes to these signals, and wakes, configures and starts the magnetometer.
  func start(
    _ client: inout SimulatedBoardClient, _ preset: Magnetometer.Preset = .regular,
    _ signals: [Signal] = [.magneticField]
  ) {
    client.write(SensorControl.power(.magnetometer, .off))
    client.wait(seconds: 0.25)
    client.write(Magnetometer.configure(preset, revision: 1).map(\.bytes))
    for signal in signals { client.subscribe(signal) }
    client.write(
      SensorControl.dataReady(.magnetometer, isOn: true), SensorControl.power(.magnetometer, .on))
  }

  @Test(arguments: [BoardModel.metaMotionS, .metaMotionRL, .metaMotionC])
  func `the magnetometer measures the earth's magnetic field in the board's coordinates`(
    _ model: BoardModel
  ) throws {
    // After a quarter turn to the left, north is to the right.
    let wearer = TestWearer.holding(Orientation(degrees: 90, about: SIMD3(0, 0, 1)))
    var client = SimulatedBoardClient(model, wearer: wearer)
    start(&client)
    let samples = try client.hear(seconds: 2)
    #expect((18...21).contains(samples.count))
    for case .sample(.magnetometer, let sample) in samples {
      let (x, y, z) = (Double(sample.x) / 16, Double(sample.y) / 16, Double(sample.z) / 16)
      #expect(abs(x - 20.4) < 6)
      #expect(abs(y) < 6)
      #expect(abs(z + 44.1) < 6)
    }
    #expect(client.board.complaints == [])
  }

  @Test(arguments: Magnetometer.Rate.allCases)
  func `the magnetometer samples at the configured rate`(_ rate: Magnetometer.Rate) throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    start(
      &client, Magnetometer.Preset(xyRepetitions: 9, zRepetitions: 15, rate: rate),
      [.magneticFieldPacked])
    let packets = try client.hear(seconds: 12)
    #expect(abs(Double(packets.count) - 4 * rate.hertz) <= 1)
    for packet in packets {
      guard case .packedSamples(.magnetometer, _, _, _) = packet else {
        Issue.record("\(packet)")
        continue
      }
    }
  }

  @Test func `newer magnetometer modules must be woken from suspension before use`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.subscribe(.magneticField)
    client.write(
      SensorControl.dataReady(.magnetometer, isOn: true), SensorControl.power(.magnetometer, .on))
    #expect(try client.hear(seconds: 1).isEmpty)
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.last?.contains("15 01 00") == true)
    // This command follows too soon after the chip was woken.
    client.write(SensorControl.power(.magnetometer, .off), Magnetometer.rate(.hertz25))
    #expect(client.board.complaints.count == 2)
    #expect(client.board.complaints.last?.contains("0.2 s") == true)
    client.wait(seconds: 0.25)
    client.write(Magnetometer.rate(.hertz25), SensorControl.power(.magnetometer, .on))
    #expect((24...26).contains(try client.hear(seconds: 1).count))
    #expect(client.board.complaints.count == 2)
  }

  @Test func `suspending the magnetometer clears its settings`() throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    start(&client, Magnetometer.Preset(xyRepetitions: 9, zRepetitions: 15, rate: .hertz25))
    client.write(SensorControl.power(.magnetometer, .low))
    #expect(try client.hear(seconds: 1).isEmpty)
    client.write(SensorControl.power(.magnetometer, .off))
    client.wait(seconds: 0.25)
    client.write(SensorControl.power(.magnetometer, .on))
    #expect((9...10).contains(try client.hear(seconds: 1).count))
    #expect(client.board.complaints == [])
  }

  @Test func `averaging reduces the noise of the samples`() throws {
    var spreads: [Double] = []
    for preset in [Magnetometer.Preset.lowPower, .highAccuracy] {
      var client = SimulatedBoardClient(.metaMotionS)
      start(&client, preset)
      var values: [Double] = []
      for case .sample(_, let sample) in try client.hear(seconds: 10) {
        values.append(Double(sample.z) / 16)
      }
      let mean = values.reduce(0, +) / Double(values.count)
      let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
      spreads.append(variance.squareRoot())
    }
    #expect(spreads[1] < spreads[0] / 3, "\(spreads)")
  }

  @Test func `a magnetic field beyond the threshold is reported once`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.subscribe(.magneticThreshold)
    client.write(SensorControl.power(.magnetometer, .off))
    client.wait(seconds: 0.25)
    // The threshold is 20 steps of 6 µT each.
    client.write(
      Magnetometer.threshold(register: 0x07, [20]), Magnetometer.threshold(register: 0x06, [1]),
      SensorControl.power(.magnetometer, .on))
    #expect(try client.hear(seconds: 1).isEmpty)
    client.board.surroundings.magneticField = SIMD3(0, 300, 0)
    #expect(try client.hear(seconds: 1) == [.magneticThreshold(2)])
    #expect(client.board.complaints == [])
  }
}
