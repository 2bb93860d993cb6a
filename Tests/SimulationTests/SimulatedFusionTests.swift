import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedFusionTests {
  /// Returns a client after it has set up and started sensor fusion in this mode.
  func running(
    _ mode: SensorFusion.Mode, on model: BoardModel = .metaMotionS,
    _ outputs: SensorFusion.Outputs = .all, wearer: any Wearer = StillWearer(),
    surroundings: Surroundings = Surroundings()
  ) throws -> SimulatedBoardClient {
    var client = SimulatedBoardClient(model, wearer: wearer, clockFactor: 1)
    client.board.surroundings = surroundings
    let accelerometer = try #require(model.modules.accelerometer)
    if mode.sensors.contains(.magnetometer) {
      client.write(SensorControl.power(.magnetometer, .off))
      client.wait(seconds: 0.25)
    }
    client.write(
      try SensorFusion.configure(
        .init(mode: mode, acceleration: .g4, rotation: .degrees1000), on: accelerometer,
        magnetometerRevision: 1
      ).map(\.bytes))
    client.subscribe(
      .correctedAcceleration, .correctedAngularVelocity, .correctedMagneticField, .quaternion,
      .euler, .gravity, .linearAcceleration)
    client.write(SensorFusion.start(mode, outputs).map(\.bytes))
    return client
  }

  func outputs(_ client: inout SimulatedBoardClient, seconds: Double) throws -> [SensorFusion
    .Output]
  {
    try client.hear(seconds: seconds).compactMap {
      if case .fusion(let output) = $0 { output } else { nil }
    }
  }

  static let modes: [(SensorFusion.Mode, SensorFusion.Outputs)] = [
    (.ndof, .all), (.imuPlus, SensorFusion.Outputs.all.subtracting(.correctedMagneticField)),
    (.compass, SensorFusion.Outputs.all.subtracting(.correctedAngularVelocity)),
    (.m4g, SensorFusion.Outputs.all.subtracting(.correctedAngularVelocity)),
  ]

  @Test(arguments: modes)
  func `every fusion output has the rate of its mode`(
    _ mode: SensorFusion.Mode, _ wanted: SensorFusion.Outputs
  ) throws {
    for model in [BoardModel.metaMotionS, .metaMotionRL, .metaMotionC] {
      var client = try running(mode, on: model, wanted)
      client.wait(seconds: 1)
      let count = try outputs(&client, seconds: 4).count
      let expected = 4 * mode.hertz * Double(wanted.rawValue.nonzeroBitCount)
      #expect(abs(Double(count) - expected) <= 7, "\(model)")
      client.write(SensorFusion.stop(mode).map(\.bytes))
      #expect(try outputs(&client, seconds: 1).isEmpty)
      #expect(client.board.complaints == [])
    }
  }

  @Test func `at rest, sensor fusion reports gravity, the earth's magnetic field, and no rotation`()
    throws
  {
    var client = try running(.ndof)
    client.wait(seconds: 10)
    let outputs = try outputs(&client, seconds: 1)
    #expect(!outputs.isEmpty)
    for output in outputs {
      switch output {
      case .correctedAcceleration(let force, let accuracy):
        #expect(abs(force.z - 1_000) < 10 && abs(force.x) < 10)
        #expect(accuracy == .high)
      case .correctedAngularVelocity(let turning, _): #expect(abs(turning.z) < 0.5)
      case .correctedMagneticField(let field, _):
        #expect(abs(field.y - 20.4) < 0.1 && abs(field.z + 44.1) < 0.1)
      case .quaternion(let turn): #expect(turn == .init(w: 1, x: 0, y: 0, z: 0))
      case .eulerAngles(let angles):
        #expect(angles == .init(heading: 0, pitch: 0, roll: 0, yaw: 0))
      case .gravity(let gravity): #expect(abs(gravity.z - 9.806_65) < 1e-4)
      case .linearAcceleration(let force):
        #expect(abs(force.x) < 0.1 && abs(force.y) < 0.1 && abs(force.z) < 0.1)
      }
    }
  }

  @Test
  func `quaternion, angles, gravity and acceleration are consistent with each other during a walk`()
    throws
  {
    var client = try running(.ndof, wearer: GaitWearer(seed: 4))
    client.wait(seconds: 1)
    var rounds = 0
    let all = try outputs(&client, seconds: 3)
    for round in stride(from: 0, to: all.count - 6, by: 7) {
      guard case .correctedAcceleration(let force, _) = all[round],
        case .quaternion(let turn) = all[round + 3],
        case .eulerAngles(let angles) = all[round + 4],
        case .gravity(let gravity) = all[round + 5],
        case .linearAcceleration(let linear) = all[round + 6]
      else {
        Issue.record("another order")
        return
      }
      rounds += 1
      let orientation = Orientation(
        real: Double(turn.w), imaginary: SIMD3(Double(turn.x), Double(turn.y), Double(turn.z)))
      let up = orientation.inverse(SIMD3(0, 0, 1)) * 9.806_65
      #expect(length(up - vector(gravity)) < 1e-4)
      #expect(length(vector(force) * 9.806_65e-3 - vector(gravity) - vector(linear)) < 1e-3)
      // Heading, roll about y and pitch about x together yield the same direction of gravity.
      let rebuilt =
        Orientation(degrees: -Double(angles.heading), about: SIMD3(0, 0, 1))
        * Orientation(degrees: Double(angles.roll), about: SIMD3(0, 1, 0))
        * Orientation(degrees: Double(angles.pitch), about: SIMD3(1, 0, 0))
      #expect(length(rebuilt.inverse(SIMD3(0, 0, 9.806_65)) - up) < 0.02)
      #expect(angles.yaw == angles.heading)
    }
    #expect(rounds > 290)
  }

  func vector(_ value: SensorFusion.Vector) -> SIMD3<Double> {
    SIMD3(Double(value.x), Double(value.y), Double(value.z))
  }

  @Test
  func `heading is relative to magnetic north or, without a magnetometer, to the first direction`()
    throws
  {
    var surroundings = Surroundings()
    // Magnetic north is 45 degrees east of the earth's axes.
    surroundings.magneticField = SIMD3(20, 20, -40)
    let wearer = TestWearer(turned: { time in
      Orientation(degrees: -30 - (time > 5 ? 40 : 0), about: SIMD3(0, 0, 1))
    })
    for (mode, headings) in [(SensorFusion.Mode.m4g, [345.0, 25]), (.imuPlus, [0.0, 40])] {
      var client = try running(mode, .eulerAngles, wearer: wearer, surroundings: surroundings)
      client.wait(seconds: 4 - client.time)
      for heading in headings {
        guard case .eulerAngles(let angles)? = try outputs(&client, seconds: 0.5).last else {
          Issue.record("no angles")
          return
        }
        let difference = (Double(angles.heading) - heading + 540)
          .truncatingRemainder(dividingBy: 360)
        #expect(abs(difference - 180) < 0.5, "\(mode): \(angles.heading)")
        client.wait(seconds: 2)
      }
    }
  }

  @Test func `resetting the orientation makes the current heading zero`() throws {
    let wearer = TestWearer.holding(Orientation(degrees: -120, about: SIMD3(0, 0, 1)))
    var client = try running(.ndof, .eulerAngles, wearer: wearer)
    guard case .eulerAngles(let before)? = try outputs(&client, seconds: 1).last else {
      Issue.record("no angles")
      return
    }
    #expect(abs(before.heading - 120) < 0.01)
    client.write(SensorFusion.resetOrientation)
    guard case .eulerAngles(let after)? = try outputs(&client, seconds: 1).last else {
      Issue.record("no angles")
      return
    }
    #expect(min(after.heading, 360 - after.heading) < 0.01)
    #expect(client.board.complaints == [])
  }

  @Test
  func `calibration improves over time, and is restored at once from calibration data`() throws {
    var client = try running(.ndof, .quaternion)
    #expect(
      try client.read(.fusionCalibrationState) == [
        .calibrationState(
          .init(accelerometer: .unreliable, gyroscope: .unreliable, magnetometer: .unreliable))
      ])
    let early = client.write(SensorFusion.readCalibration(of: .accelerometer))
    client.write(SensorFusion.run(isOn: true))
    client.wait(seconds: 8)
    let complete = Notification.calibrationState(
      .init(accelerometer: .high, gyroscope: .high, magnetometer: .high))
    #expect(try client.read(.fusionCalibrationState).first == complete)
    var data: [ModuleID: [UInt8]] = [:]
    for sensor in SensorFusion.Mode.ndof.sensors {
      let answer = try client.ask(SensorFusion.readCalibration(of: sensor)).first
      guard case .calibrationData(sensor, let bytes)? = answer else {
        Issue.record("no data")
        return
      }
      data[sensor] = bytes
    }
    #expect(early.first?.suffix(10) != data[.accelerometer]?[...])
    client.write(SensorFusion.run(isOn: false))
    client.wait(seconds: 1)
    client.write(SensorFusion.calibrate(.ndof, data).map(\.bytes))
    client.write(SensorFusion.run(isOn: true))
    #expect(try client.read(.fusionCalibrationState).last == complete)
    #expect(client.board.complaints == [])
  }

  @Test func `invalid calibration data for the magnetometer crash the board`() {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(SensorFusion.calibrate(.gyroscope, [UInt8](repeating: 0, count: 10)))
    #expect(client.board.isLinkUp)
    client.write(SensorFusion.calibrate(.magnetometer, [UInt8](repeating: 0, count: 10)))
    #expect(!client.board.isLinkUp)
    client.board.linkUp()
    #expect(client.write([[0xfe, 0x8b]]) == [[0xfe, 0x8b, 8]])
    #expect(client.board.complaints.count == 2)
  }

  /// Steps of the start sequence that sensor fusion requires.
  static let omissions: [(dropped: [UInt8], complaint: String)] = [
    ([0x03, 0x01, 0x01], "accelerometer running"), ([0x13, 0x01, 0x01], "gyroscope running"),
    ([0x15, 0x01, 0x01], "magnetometer running"), ([0x03, 0x02, 0x01, 0x00], "data-ready"),
    ([0x03, 0x03, 0xa8, 0x00], "accelerometer at 100 Hz"),
    ([0x15, 0x03, 0x06], "magnetometer at 25 Hz"),
    ([0x19, 0x03, 0x08, 0x00], "without an output"), ([0x19, 0x02, 0x01, 0x10], "needs a mode"),
  ]

  @Test(arguments: omissions)
  func `the complaint names the step that the host has omitted`(
    _ dropped: [UInt8], _ complaint: String
  ) throws {
    let accelerometer = Accelerometer(chip: .bmi270, revision: 0)
    let sequence =
      try SensorFusion.configure(
        .init(mode: .ndof), on: accelerometer, magnetometerRevision: 1
      ) + SensorFusion.start(.ndof, .quaternion)
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(SensorControl.power(.magnetometer, .off))
    client.wait(seconds: 0.25)
    #expect(sequence.contains { $0.bytes == dropped })
    client.write(sequence.map(\.bytes).filter { $0 != dropped })
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains(complaint) == true)
  }

  @Test func `while sensor fusion runs, other streams cannot use its sensors`() throws {
    let uses: [[UInt8]] = [
      [0x03, 0x04, 0x01], [0x13, 0x04, 0x01], [0x15, 0x05, 0x01], [0x03, 0x01, 0x00],
      [0x13, 0x02, 0x00, 0x01],
    ]
    for use in uses {
      var client = try running(.ndof, .quaternion)
      client.write([use])
      #expect(client.board.complaints.count == 1)
      #expect(client.board.complaints.first?.contains("while sensor fusion uses") == true)
    }
    var client = try running(.imuPlus, .quaternion)
    client.write(SensorControl.power(.magnetometer, .off))
    client.subscribe(.magneticField)
    #expect(client.board.complaints == [], "the magnetometer takes no part in this mode")
  }

  @Test func `changing the outputs of sensor fusion requires a pause of half a second`() throws {
    for (pause, complaints) in [(0.1, 1), (0.6, 0)] {
      var client = try running(.imuPlus, .quaternion)
      client.write(SensorFusion.stop(.imuPlus).map(\.bytes))
      client.wait(seconds: pause)
      client.write(SensorFusion.start(.imuPlus, .eulerAngles).map(\.bytes))
      #expect(client.board.complaints.count == complaints)
    }
  }

  @Test func `older sensor fusion modules lack later features`() {
    // Revision 1 on the MetaMotion C reports the calibration state, but supports neither
    // calibration data nor a reset.
    var client = SimulatedBoardClient(.metaMotionC)
    #expect(client.write([[0x19, 0x8b]]).count == 1)
    #expect(client.board.complaints == [])
    #expect(client.write([[0x19, 0x8c], [0x19, 0x0f, 1]]) == [])
    #expect(client.board.complaints.count == 2)
  }
}
