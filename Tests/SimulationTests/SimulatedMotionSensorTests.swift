import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedMotionSensorTests {
  @Test(arguments: BoardModel.all)
  func `a board at rest measures one g upwards`(_ model: BoardModel) throws {
    var client = SimulatedBoardClient(model)
    let sensor = try #require(model.modules.accelerometer)
    for range in sensor.ranges {
      let rate = try #require(sensor.configuration(nearestRate: 100, range: 2)).rate.hertz
      try client.start(
        sensor, rate: rate, range: range.limit, subscribing: sensor.sampleRegister)
      let notifications = try client.hear(seconds: 0.5)
      #expect(notifications.count > 40)
      for notification in notifications {
        guard case .sample(.accelerometer, let sample) = notification else {
          Issue.record("\(notification)")
          continue
        }
        #expect(abs(Double(sample.x) / range.countsPerUnit) < 0.04)
        #expect(abs(Double(sample.y) / range.countsPerUnit) < 0.04)
        #expect(abs(Double(sample.z) / range.countsPerUnit - 1) < 0.04)
      }
      client.write(sensor.powerOff)
    }
    #expect(client.board.complaints == [])
  }

  @Test func `the MMA8452Q reports thousandths of g, clipped at the limits of its range`() throws {
    let wearer = TestWearer(force: { _ in SIMD3(3, -3, 1) })
    var client = SimulatedBoardClient(.metaWearR, wearer: wearer)
    client.write([
      [0x03, 0x03, 0x00, 0x00, 0x18, 0x00, 0x00], [0x03, 0x04, 1], [0x03, 0x02, 1], [0x03, 1, 1],
    ])
    let samples = client.wait(seconds: 1)
    #expect((98...101).contains(samples.count))
    for sample in samples {
      #expect(sample.bytes.span.int16(at: 2) == 2_000)
      #expect(sample.bytes.span.int16(at: 4) == -2_000)
    }
    client.write([[0x03, 0x01, 0], [0x03, 0x83]])
    #expect(client.received.last?.bytes == [0x03, 0x83, 0x00, 0x00, 0x18, 0x00, 0x00])
    client.write([[0x03, 0x03, 0x01, 0x00, 0x20, 0x00, 0x00], [0x03, 0x01, 1]])
    let wider = client.wait(seconds: 1)
    #expect((48...51).contains(wider.count))
    #expect(wider.allSatisfy { abs(Double($0.bytes.span.int16(at: 2)) - 3_000) < 60 })
    #expect(client.board.complaints == [])
  }

  @Test func `offsets written to the BMI270 are added to its measurements`() throws {
    for offset in [0, 64] as [UInt8] {
      var client = SimulatedBoardClient(.metaMotionS, seed: 3)
      client.write(BMI270Feature.offsets(use: 8, x: offset, y: 0, z: 0))
      client.write(GyroscopeOffsets(x: 0, y: offset, z: 0))
      let sensors = client.board.model.modules.motionSensors
      try client.start(sensors[0], rate: 100, range: 2, subscribing: sensors[0].sampleRegister)
      try client.start(sensors[1], rate: 100, range: 125, subscribing: sensors[1].sampleRegister)
      var forces: [Double] = []
      var turns: [Double] = []
      for case .sample(let module, let sample) in try client.hear(seconds: 1) {
        if module == .accelerometer { forces.append(Double(sample.x) / 16_384) }
        if module == .gyroscope { turns.append(Double(sample.y) / 262.4) }
      }
      let force = forces.reduce(0, +) / Double(forces.count)
      let turn = turns.reduce(0, +) / Double(turns.count)
      // The offsets have steps of 3.9 mg and 0.061 degrees per second. The chips' own errors are
      // added to them.
      #expect(abs(force - Double(offset) * 0.0039) < 0.03)
      #expect(abs(turn - Double(offset) * 0.061) < 0.6)
    }
  }

  @Test func `a subscription survives a lost link, and no setting survives a reset`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    let sensor = Gyroscope(chip: .bmi160, revision: 1)
    try client.start(sensor, rate: 25, range: 500, subscribing: sensor.sampleRegister)
    client.board.linkDown(at: client.time)
    client.board.linkUp()
    #expect(try !client.hear(seconds: 1).isEmpty)
    #expect(client.write(sensor.readConfiguration) == [[0x13, 0x83, 0x26, 0x02]])
    client.board.reset(at: client.time)
    client.board.linkUp()
    #expect(try client.hear(seconds: 1).isEmpty)
    #expect(client.write(sensor.readConfiguration) == [[0x13, 0x83, 0x28, 0x00]])
  }
}
