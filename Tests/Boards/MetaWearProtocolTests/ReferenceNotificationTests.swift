import MetaWearProtocol
import TestSupport
import Testing

/// Notifications from the reference that are missing from all other tables, by section.
@Suite(.computation) struct ReferenceNotificationTests {
  typealias Notification = MetaWearProtocol.Notification

  static let three = "0100 0200 0300 0400 0500 0600 0700 0800 0900"

  static func packed(_ module: ModuleID) -> Notification {
    .packedSamples(
      module, Vector(x: 1, y: 2, z: 3), Vector(x: 4, y: 5, z: 6), Vector(x: 7, y: 8, z: 9))
  }

  static func configured(
    _ module: ModuleID, _ hertz: Double, _ code: UInt8, _ range: MeasuringRange
  ) -> Notification {
    .configuration(
      module, SensorConfiguration(rate: SampleRate(hertz: hertz, code: code), range: range))
  }

  static let onBMI160 = [
    // §6.1 to §6.4
    NotificationCase(
      "03 04 0040 00c0 ff7f", .sample(.accelerometer, Vector(x: 16384, y: -16384, z: 32767))),
    NotificationCase("03 1c " + three, packed(.accelerometer)),
    NotificationCase("13 07 " + three, packed(.gyroscope)),
    NotificationCase(
      "03 83 28 03",
      configured(.accelerometer, 100, 0x28, .init(limit: 2, code: 3, countsPerUnit: 16384))),
    NotificationCase(
      "13 83 2b 04",
      configured(.gyroscope, 800, 0x2b, .init(limit: 125, code: 4, countsPerUnit: 262.4))),
    // High acceleration along x and y, in the positive direction.
    NotificationCase(
      "03 08 05",
      .accelerometerEvent(
        .lowHigh(
          isHigh: true, isLow: false, axes: .init(x: true, y: false, z: false), sign: .positive))),
    NotificationCase(
      "03 08 09",
      .accelerometerEvent(
        .lowHigh(
          isHigh: true, isLow: false, axes: .init(x: false, y: true, z: false), sign: .positive))),
    NotificationCase(
      "03 0b 01",
      .accelerometerEvent(
        .motion(
          .init(isSignificant: true, isNone: false, isAny: false),
          axes: ModuleNotificationTests.none, sign: .positive))),
    NotificationCase(
      "03 0b 04",
      .accelerometerEvent(
        .motion(
          .init(isSignificant: false, isNone: true, isAny: false),
          axes: ModuleNotificationTests.none, sign: .positive))),
    NotificationCase(
      "03 0e 06",
      .accelerometerEvent(
        .tap(
          isDouble: false, isSingle: true, axes: .init(x: true, y: false, z: false),
          sign: .positive))),
    NotificationCase("03 11 00", .accelerometerEvent(.orientation(.faceUpPortraitUpright))),
    NotificationCase("03 11 02", .accelerometerEvent(.orientation(.faceUpPortraitUpsideDown))),
    NotificationCase("03 11 04", .accelerometerEvent(.orientation(.faceUpLandscapeLeft))),
    NotificationCase("03 11 08", .accelerometerEvent(.orientation(.faceDownPortraitUpright))),
    NotificationCase("03 11 0a", .accelerometerEvent(.orientation(.faceDownPortraitUpsideDown))),
    NotificationCase("03 11 0e", .accelerometerEvent(.orientation(.faceDownLandscapeRight))),
    NotificationCase("03 14 04", .accelerometerEvent(.flat(true, isFaceDown: false))),
    NotificationCase("03 14 00", .accelerometerEvent(.flat(false, isFaceDown: false))),
    NotificationCase("03 9a ffff", .accelerometerEvent(.stepCount(65535))),
    // §9: read once
    NotificationCase("12 81 00008b01", .pressure(counts: 0x018b_0000)),
    NotificationCase("12 82 ffffffff", .altitude(counts: -1)),
    // §10: −0.125 °C
    NotificationCase("04 81 03 ffff", .temperature(channel: 3, counts: -1)),
    // §14 and §25: as a reply or as an unrequested notification
    NotificationCase("0d 82 0e 0102", .busData(id: 14, [1, 2])),
    NotificationCase("0d 01 ff 68", .busData(id: 255, [0x68])),
    NotificationCase("0d 02 03", .busData(id: 3, [])),
    // §15
    NotificationCase(
      "19 82 02 10", .fusionConfiguration(.init(mode: .imuPlus))),
    NotificationCase(
      "19 82 04 42",
      .fusionConfiguration(.init(mode: .m4g, acceleration: .g8, rotation: .degrees250))),
    NotificationCase(
      "19 8b 03 03 03",
      .calibrationState(.init(accelerometer: .high, gyroscope: .high, magnetometer: .high))),
    NotificationCase(
      "19 8c 0102030405060708090a", .calibrationData(.accelerometer, Array(1...10))),
    NotificationCase("19 8d 0102030405060708090a", .calibrationData(.gyroscope, Array(1...10))),
    // §16
    NotificationCase(
      "11 82 9b02 00 01", .advertising(.init(intervalCode: 667, timeoutSeconds: 0, type: 1))),
    NotificationCase("11 83 04", .sentPower(dBm: 4)),
    NotificationCase("11 91 00", .power(isPresent: false)),
    NotificationCase("11 12 00", .charge(isCharging: false)),
    NotificationCase("11 81", .name("")),
    // §17: the reset counter is in the upper three bits of the first byte
    NotificationCase(
      "0b 07 e7 ffffffff 00000080",
      .logEntries(LogEntry(trigger: 7, resetUID: 7, tick: .max, data: 0x8000_0000), nil)),
    NotificationCase("0b 08 00000000", .logProgress(entriesLeft: 0)),
    NotificationCase("0b 85 00000000", .logLength(0)),
    NotificationCase("0b 82 ff ff ff ff", .logTrigger(nil)),
    // §17: the length of this reply is unknown
    NotificationCase("0b 8c 0500", .other(PacketHeader(.logging, 0x0c, isRead: true), [5, 0])),
    // §18: an empty slot, and an undocumented type
    NotificationCase(
      "09 82 09 03 00 a0 7f 01",
      .processorDescription(.processor(0, length: 6), nil)),
    NotificationCase("09 03 1b", .processorOutput(id: 27, [])),
    // §20, §22
    NotificationCase("0c 06 07", .timerFired(id: 7)),
    NotificationCase("fe 8b 02", .diagnosis(register: 0x0b, [2])),
    NotificationCase("fe 93 0a0b", .diagnosis(register: 0x13, [0x0a, 0x0b])),
    NotificationCase("fe 89 01 0000", .stack(isAsserting: true, free: 0)),
    // §3
    NotificationCase(
      "0b 80 00 03 08 00001000 0002",
      .moduleInfo(
        .logging,
        ModuleInfo(implementation: 0, revision: 3, extra: hex("08 00001000 0002")))),
    NotificationCase(
      "19 80 00 03 0300 0600 0200 0100",
      .moduleInfo(
        .sensorFusion,
        ModuleInfo(implementation: 0, revision: 3, extra: hex("0300 0600 0200 0100")))),
  ]

  static let onBMA255 = [
    NotificationCase("03 1c " + three, packed(.accelerometer)),
    NotificationCase(
      "03 83 0f 0c",
      configured(.accelerometer, 2000, 0x0f, .init(limit: 16, code: 12, countsPerUnit: 2048))),
    // Module revision 1: bit 1 means flat, and the packet does not say which side is up.
    NotificationCase("03 14 02", .accelerometerEvent(.flat(true, isFaceDown: nil))),
    NotificationCase("03 14 04", .accelerometerEvent(.flat(false, isFaceDown: nil))),
  ]

  static let onBMI270 = [
    NotificationCase("13 05 " + three, packed(.gyroscope)),
    NotificationCase(
      "03 09 05",
      .accelerometerEvent(.plainMotion(.init(isSignificant: true, isNone: false, isAny: true)))),
    NotificationCase("03 0a 00", .accelerometerEvent(.wrist(type: 0, code: 0))),
    NotificationCase("03 0a 15", .accelerometerEvent(.wrist(type: 1, code: 5))),
    NotificationCase("03 0c 00", .accelerometerEvent(.activity(.still))),
    NotificationCase("03 0c 04", .accelerometerEvent(.activity(.running))),
    NotificationCase("03 0c 06", .accelerometerEvent(.activity(.unknown))),
    NotificationCase("03 8f 00fe", .accelerometerEvent(.dieTemperature(-512))),
  ]

  static let onMMA8452Q = [
    // In thousandths of g.
    NotificationCase(
      "03 04 e803 18fc 0000", .sample(.accelerometer, Vector(x: 1000, y: -1000, z: 0))),
    NotificationCase("03 12 " + three, packed(.accelerometer)),
    NotificationCase(
      "03 83 01 00 18 00 00",
      configured(.accelerometer, 100, 0x18, .init(limit: 4, code: 1, countsPerUnit: 1000))),
    // High-pass filter on, and a different rate while asleep. Neither changes the decoded rate or
    // range.
    NotificationCase(
      "03 83 12 01 3b 07 10",
      configured(.accelerometer, 1.56, 0x38, .init(limit: 8, code: 2, countsPerUnit: 1000))),
    NotificationCase("03 0a 00", .accelerometerEvent(.orientation(.faceUpPortraitUpright))),
    NotificationCase("03 0a 03", .accelerometerEvent(.orientation(.faceDownPortraitUpsideDown))),
    NotificationCase("03 0a 06", .accelerometerEvent(.orientation(.faceUpLandscapeLeft))),
    NotificationCase(
      "03 0d 11",
      .accelerometerEvent(
        .axisTap(
          isDouble: false, axes: .init(x: true, y: false, z: false),
          signs: .init(x: .negative, y: .positive, z: .positive)))),
  ]

  @Test(arguments: [
    (ModuleCommandTests.bmi160, onBMI160), (ModuleCommandTests.bma255, onBMA255),
    (ModuleCommandTests.bmi270, onBMI270), (ModuleCommandTests.mma8452q, onMMA8452Q),
  ])
  func `a notification is decoded as in the reference`(
    _ modules: ModuleTable, _ cases: [NotificationCase]
  ) throws {
    for item in cases {
      let packet = hex(item.packet)
      let found = try Notification(decoding: packet.span, from: modules)
      #expect(found == item.meaning, "\(item.packet)")
    }
  }

  @Test func `full-scale counts and a battery reply are converted as in the reference`() throws {
    // §6.2, §7: the full scale of the widest range.
    let gyroscope = try MotionSensorTests.gyro160.configuration(rate: 100, range: 2000)
    #expect(abs(32_768 / gyroscope.range.countsPerUnit - 1998) < 1)
    let accelerometer = try MotionSensorTests.bmi270.configuration(rate: 100, range: 16)
    #expect(32_768 / accelerometer.range.countsPerUnit == 16)
    // §16: 99 %, 4148 mV.
    let packet = hex("11 8c 63 34 10")
    guard
      case .battery(let battery) = try Notification(decoding: packet.span, from: ModuleTable())
    else {
      Issue.record("no battery")
      return
    }
    #expect(battery == Battery(percent: 99, millivolts: 4148))
  }
}
