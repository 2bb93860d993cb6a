import MetaWearProtocol
import TestSupport
import Testing
import Values

/// Notifications according to the reference, on boards with a BMI160, a BMI270 or an MMA8452Q.
@Suite(.computation) struct ModuleNotificationTests {
  static let none = AccelerometerEvent.Axes(x: false, y: false, z: false)

  static let bosch = [
    NotificationCase(
      "03 08 31",
      event(
        .lowHigh(
          isHigh: true, isLow: false, axes: .init(x: false, y: false, z: true), sign: .negative))),
    NotificationCase(
      "03 08 02", event(.lowHigh(isHigh: false, isLow: true, axes: none, sign: .positive))),
    NotificationCase(
      "03 0b 52",
      event(
        .motion(
          .init(isSignificant: false, isNone: false, isAny: true),
          axes: .init(x: false, y: true, z: false), sign: .negative))),
    NotificationCase(
      "03 0e 31",
      event(
        .tap(
          isDouble: true, isSingle: false, axes: .init(x: false, y: false, z: true),
          sign: .negative))),
    NotificationCase("03 11 07", event(.orientation(.faceUpLandscapeRight))),
    NotificationCase("03 11 0d", event(.orientation(.faceDownLandscapeLeft))),
    // Revision 2: bit 2 means flat, bit 1 means face down.
    NotificationCase("03 14 06", event(.flat(true, isFaceDown: true))),
    NotificationCase("03 19 01", event(.stepDetected(1))),
    NotificationCase("03 9a 2b00", event(.stepCount(43))),
  ]

  static let motionS = [
    NotificationCase(
      "03 09 02", event(.plainMotion(.init(isSignificant: false, isNone: true, isAny: false)))),
    NotificationCase("03 0a 0d", event(.wrist(type: 1, code: 3))),
    NotificationCase("03 0b 1400", event(.stepCount(20)), shortest: 3),
    NotificationCase("03 0b 01", event(.stepDetected(1))),
    NotificationCase("03 8b 1400", event(.stepCount(20))),
    NotificationCase("03 0c 02", event(.activity(.walking))),
    // One degree above 23 °C.
    NotificationCase("03 8f 0002", event(.dieTemperature(512))),
  ]

  static let motionR = [
    NotificationCase(
      "03 07 0e",
      event(
        .movement(
          axes: .init(x: true, y: true, z: false),
          signs: .init(x: .positive, y: .negative, z: .positive)))),
    NotificationCase(
      "03 10 30",
      event(
        .shake(
          axes: .init(x: false, y: false, z: true),
          signs: .init(x: .positive, y: .positive, z: .negative)))),
    NotificationCase(
      "03 0d 4c",
      event(
        .axisTap(
          isDouble: true, axes: .init(x: false, y: false, z: true),
          signs: .init(x: .positive, y: .positive, z: .negative)))),
    // Left and right are swapped on this chip.
    NotificationCase("03 0a 04", event(.orientation(.faceUpLandscapeRight))),
    NotificationCase("03 0a 07", event(.orientation(.faceDownLandscapeLeft))),
  ]

  static let others = [
    // 101,173.828125 Pa.
    NotificationCase("12 01 d3358b01", .pressure(counts: 25_900_499)),
    // −480.8828125 m.
    NotificationCase("12 02 1e1ffeff", .altitude(counts: -123_106)),
    NotificationCase("16 81 00c00000", .humidity(counts: 48 * 1024)),
    NotificationCase("14 03 ed92b000", .illuminance(milliLux: 11_571_949)),
    NotificationCase(
      "17 81 a201 7b00 9a00 7c00",
      .colour(.init(clear: 418, red: 123, green: 154, blue: 124))),
    NotificationCase("18 81 f205", .proximity(1522)),
    NotificationCase("15 05 1000 2000 f0ff", .sample(.magnetometer, Vector(x: 16, y: 32, z: -16))),
    NotificationCase(
      "15 09 0100 0200 0300 0400 0500 0600 0700 0800 0900",
      .packedSamples(
        .magnetometer, Vector(x: 1, y: 2, z: 3), Vector(x: 4, y: 5, z: 6),
        Vector(x: 7, y: 8, z: 9))),
    NotificationCase("15 08 05", .magneticThreshold(5)),
    NotificationCase("05 86 01 c209", .pin(.millivolts(pin: 1, 2498))),
    NotificationCase("05 87 01 7203", .pin(.ratio(pin: 1, 882))),
    NotificationCase("05 88 07 01", .pin(.level(pin: 7, isHigh: true))),
    NotificationCase("05 0a 00 00", .pin(.change(pin: 0, isHigh: false))),
    NotificationCase("0d 81 0a 2a", .busData(id: 10, [0x2a]), shortest: 3),
    // Older boards also reply to a silent read.
    NotificationCase("04 c1 01 a800", .temperature(channel: 1, counts: 168)),
    NotificationCase(
      "11 82 9b02 b4",
      .advertising(.init(intervalCode: 667, timeoutSeconds: 180, type: nil))),
    NotificationCase("11 83 ec", .sentPower(dBm: -20)),
    NotificationCase("11 87 0303d8fe", .scanResponse(hex("0303d8fe")), shortest: 2),
    // The first byte is the address type. Some boards omit this byte.
    NotificationCase(
      "11 8b 01 077b528fc9e8", .address(BoardAddress(value: 0xe8c9_8f52_7b07)), shortest: 8),
    NotificationCase("11 8b 077b528fc9e8", .address(BoardAddress(value: 0xe8c9_8f52_7b07))),
    NotificationCase("11 11 01", .power(isPresent: true)),
    NotificationCase("11 92 01", .charge(isCharging: true)),
    NotificationCase("0c 06 02", .timerFired(id: 2)),
    NotificationCase("09 84 01 0100", .processorState(id: 1, [1, 0]), shortest: 3),
    NotificationCase(
      "09 82 03 04 ff a0 07 a5 00",
      .processorDescription(
        SignalSource(.accelerometer, 0x04, length: 6),
        .magnitude(.init(input: 2, output: 2), channels: 3, isSigned: true, isMean: true)),
      shortest: 6),
    NotificationCase("fe 84 78563412", .debugKey(0x1234_5678)),
    NotificationCase("fe 89 00 940c", .stack(isAsserting: false, free: 3220)),
    NotificationCase("fe 8a 0302", .diagnosis(register: 0x0a, [3, 2]), shortest: 2),
  ]

  static let logging = [
    NotificationCase("0b 85 9e010000", .logLength(414)),
    NotificationCase("0b 08 71020000", .logProgress(entriesLeft: 625)),
    NotificationCase("0b 0d", .logPageComplete),
    NotificationCase("0b 82", .logTrigger(nil)),
    NotificationCase("0b 82 ff", .logTrigger(nil), shortest: 2),
    NotificationCase(
      "0b 82 03 04 ff 24",
      .logTrigger(SignalSource(.accelerometer, 0x04, length: 2, offset: 4)), shortest: 2),
    NotificationCase(
      "0b 07 a0 e6420000 f5003d01",
      .logEntries(LogEntry(trigger: 0, resetUID: 5, tick: 17126, data: 0x013d_00f5), nil)),
  ]

  static let fusion = [
    NotificationCase(
      "19 04 00007a44 00000000 0000fac4 03",
      .fusion(.correctedAcceleration(.init(x: 1000, y: 0, z: -2000), .high))),
    NotificationCase(
      "19 05 00002040 00000000 00000000 01",
      .fusion(.correctedAngularVelocity(.init(x: 2.5, y: 0, z: 0), .low))),
    NotificationCase(
      "19 06 00000242 00000000 00000000 00",
      .fusion(.correctedMagneticField(.init(x: 32.5, y: 0, z: 0), .unreliable))),
    NotificationCase(
      "19 07 0000803f 00000000 00000000 000000bf",
      .fusion(.quaternion(.init(w: 1, x: 0, y: 0, z: -0.5)))),
    NotificationCase(
      "19 08 00f8b343 0000b4c2 00003443 00f8b343",
      .fusion(.eulerAngles(.init(heading: 359.9375, pitch: -90, roll: 180, yaw: 359.9375)))),
    NotificationCase(
      "19 09 00000000 00000000 00002041", .fusion(.gravity(.init(x: 0, y: 0, z: 10)))),
    NotificationCase(
      "19 0a 0000803f 00000000 00000000", .fusion(.linearAcceleration(.init(x: 1, y: 0, z: 0)))),
    NotificationCase(
      "19 82 01 23",
      .fusionConfiguration(.init(mode: .ndof, acceleration: .g16, rotation: .degrees1000))),
    NotificationCase(
      "19 8b 00 01 02",
      .calibrationState(.init(accelerometer: .unreliable, gyroscope: .low, magnetometer: .medium))),
    NotificationCase(
      "19 8e 660017fd8afc7f030100",
      .calibrationData(.magnetometer, hex("660017fd8afc7f030100"))),
  ]

  static func event(_ event: AccelerometerEvent) -> MetaWearProtocol.Notification {
    .accelerometerEvent(event)
  }

  /// Every case, together with its board's modules.
  static let all: [(ModuleTable, [NotificationCase])] = [
    (ModuleCommandTests.bmi160, bosch + others + logging + fusion),
    (ModuleCommandTests.bmi270, motionS), (ModuleCommandTests.mma8452q, motionR),
  ]

  @Test func `a notification is decoded as in the reference`() throws {
    for (modules, cases) in Self.all {
      for item in cases {
        let packet = hex(item.packet)
        let found = try Notification(decoding: packet.span, from: modules)
        #expect(found == item.meaning, "\(item.packet)")
      }
    }
  }

  @Test func `a notification truncated anywhere is reported as truncated`() {
    for (modules, cases) in Self.all {
      for item in cases {
        let packet = hex(item.packet)
        for length in 0..<(item.shortest ?? packet.count) {
          let cut = Array(packet.prefix(length))
          // The reply for an unused trigger consists of the header only.
          if item.packet.hasPrefix("0b 82"), length == 2 { continue }
          let error = #expect(throws: DecodeError.self, "\(item.packet), \(length) bytes") {
            try Notification(decoding: cut.span, from: modules)
          }
          guard case .truncated(let expected, length) = error else {
            Issue.record("\(item.packet), \(length) bytes: \(String(describing: error))")
            continue
          }
          #expect(expected > length && expected <= packet.count)
        }
      }
    }
  }

  @Test
  func `a second log entry is decoded if it is complete; otherwise, the packet is rejected`() throws
  {
    let packet = hex("0b 07 a0 e6420000 f5003d01 a1 e6420000 dd0f0000")
    let second = LogEntry(trigger: 1, resetUID: 5, tick: 17126, data: 0x0fdd)
    guard
      case .logEntries(_, second) = try Notification(decoding: packet.span, from: ModuleTable())
    else {
      Issue.record("the second entry is missing")
      return
    }
    for length in 12..<20 {
      let cut = Array(packet.prefix(length))
      #expect(throws: DecodeError.truncated(expected: 20, found: length)) {
        try Notification(decoding: cut.span, from: ModuleTable())
      }
    }
  }

  @Test func `a notification that contains an unknown code is rejected`() {
    let cases = [
      ("19 8b 00 04 00", 4, 3), ("19 82 01 00", 0, 3), ("19 82 01 24", 0x24, 3),
      ("19 82 09 10", 9, 2), ("19 04 00000000 00000000 00000000 04", 4, 14),
    ]
    for (packet, code, offset) in cases {
      let bytes = hex(packet)
      #expect(throws: DecodeError.unknownCode(UInt8(code), at: offset)) {
        try Notification(decoding: bytes.span, from: ModuleTable())
      }
    }
  }

  @Test(arguments: [
    ModuleCommandTests.mma8452q, ModuleCommandTests.bmi160, ModuleCommandTests.bma255,
    ModuleCommandTests.bmi270, ModuleTable(),
  ])
  func `decoding random bytes never traps`(
    _ modules: ModuleTable
  ) {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for module in ModuleID.allCases {
      for register in UInt8.min...UInt8.max {
        for length in 0...20 {
          let noise = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
          let packet = [module.rawValue, register] + noise
          // The test passes if nothing traps, since a trap would end the process.
          _ = try? Notification(decoding: packet.span, from: modules)
        }
      }
    }
  }
}
