import MetaWearProtocol
import TestSupport
import Testing
import Values

/// Commands of every module with their bytes from the reference; each decodes to its original
/// value.
@Suite(.computation) struct ModuleCommandTests {
  static let mma8452q = board(0, 1)
  static let bmi160 = board(1, 2)
  static let bma255 = board(3, 1)
  static let bmi270 = board(4, 0, gyroscope: 1)

  static func board(
    _ accelerometer: UInt8, _ revision: UInt8, gyroscope: UInt8 = 0
  ) -> ModuleTable {
    ModuleTable([
      .accelerometer: ModuleInfo(implementation: accelerometer, revision: revision),
      .gyroscope: ModuleInfo(implementation: gyroscope, revision: 1),
    ])
  }

  static func expectRoundTrip(_ item: CommandCase, on modules: ModuleTable) {
    #expect(item.command.bytes == hex(item.bytes), "\(item.meaning)")
    let meaning = item.command.meaning(on: modules)
    #expect(meaning.command == item.command)
    if let isReadBack = item.isReadBack { #expect(isReadBack(meaning), "\(meaning)") }
  }

  static let lights = [
    CommandCase("pause", of: LED.playback(.pause), "02 01 00"),
    CommandCase("autoplay", of: LED.playback(.autoplay), "02 01 02"),
    CommandCase("stop", of: LED.stop(isClearing: false), "02 02 00"),
    CommandCase("stop and clear", of: LED.stop(isClearing: true), "02 02 01"),
    CommandCase(
      "pulse blue forever", of: LED.store(.pulse, .blue),
      "02 03 02 02 1f 00 d502 f401 d502 d007 0000 ff"),
    CommandCase(
      "solid green", of: LED.store(.solid, .green),
      "02 03 00 02 1f 1f 0000 f401 0000 e803 0000 ff"),
    CommandCase(
      "30 lights", of: NeoPixel.open(strand: 1, .greenRedBlue, isFast: true, pin: 0, count: 30),
      "06 01 01 06 00 1e"),
    CommandCase("hold", of: NeoPixel.hold(strand: 2, isOn: true), "06 02 02 01"),
    CommandCase("put out", of: NeoPixel.clear(strand: 2, first: 10, last: 45), "06 03 02 0a 2d"),
    CommandCase(
      "one light", of: NeoPixel.colour(strand: 2, index: 24, red: 213, green: 85, blue: 107),
      "06 04 02 18 d5 55 6b"),
    CommandCase(
      "rotate", of: NeoPixel.rotate(strand: 2, isAway: true, times: 75, milliseconds: 1000),
      "06 05 02 01 4b e803"),
    CommandCase("no rotation", of: NeoPixel.stopRotation(strand: 3), "06 05 03 00 00 0000"),
    CommandCase("give up", of: NeoPixel.close(strand: 1), "06 06 01"),
    CommandCase(
      "motor at half", of: Haptic.motor(percent: 50, milliseconds: 5000), "08 01 7c 8813 00"),
    CommandCase("buzzer", of: Haptic.buzzer(milliseconds: 7500), "08 01 7f 4c1d 01"),
    CommandCase("iBeacon", of: IBeacon.enable(isOn: true), "07 01 01"),
    CommandCase(
      "identifier, last byte first", of: IBeacon.identifier((1...16).map { $0 }),
      "07 02 100f0e0d 0c0b0a09 08070605 04030201"),
    CommandCase("major 78", of: IBeacon.major(78), "07 03 4e00"),
    CommandCase("minor 7453", of: IBeacon.minor(7453), "07 04 1d1d"),
    CommandCase("-55 dBm at a metre", of: IBeacon.receivedPower(dBm: -55), "07 05 c9"),
    CommandCase("-12 dBm", of: IBeacon.sentPower(dBm: -12), "07 06 f4"),
    CommandCase("every 15.027 s", of: IBeacon.period(milliseconds: 15027), "07 07 b33a"),
  ]

  static let sensors = [
    CommandCase(
      "barometer, most averaging",
      of: Barometer.configure(.init(oversampling: .ultraHigh, filter: .average16)), "12 03 54 10"),
    CommandCase(
      "barometer each second",
      of: Barometer.configure(.init(standbyCode: 5)), "12 03 2c a0"),
    CommandCase("barometer on", of: Barometer.start, "12 04 01 01"),
    CommandCase("barometer off", of: Barometer.stop, "12 04 00 00"),
    CommandCase(
      "thermistor",
      of: Temperature.externalThermistor(
        channel: 2, dataPin: 0, pulldownPin: 1, isActiveHigh: false), "04 02 02 00 01 00"),
    CommandCase(
      "silent temperature", of: Temperature.read(channel: 1, isSilent: true), "04 c1 01"),
    CommandCase("humidity x8", of: Humidity.oversampling(.eightTimes), "16 02 04"),
    CommandCase(
      "light x48, 400 ms, 2 s",
      of: AmbientLight.configure(.times48, integrationCode: 3, rateCode: 5), "14 02 18 1d"),
    CommandCase("light on", of: AmbientLight.measure(isOn: true), "14 01 01"),
    CommandCase(
      "colour, 4.8 ms, x60, lit",
      of: ColourSensor.configure(integrationSteps: 2, .times60, isLit: true), "17 02 fe 03 01"),
    CommandCase(
      "proximity, both diodes",
      of: Proximity.configure(integrationSteps: 2, pulses: 32, .both, .milliamperes12half),
      "18 02 fe 20 f0"),
    CommandCase(
      "magnetometer averages", of: Magnetometer.repetitions(xyCode: 4, zCode: 14), "15 04 04 0e"),
    CommandCase("magnetometer at 25 Hz", of: Magnetometer.rate(.hertz25), "15 03 06"),
    CommandCase(
      "magnetometer threshold", of: Magnetometer.threshold(register: 7, [1, 2, 3]),
      "15 07 010203"),
    CommandCase("suspend", of: SensorControl.power(.magnetometer, .low), "15 01 02"),
    CommandCase(
      "gyroscope samples", of: SensorControl.dataReady(.gyroscope, isOn: true), "13 02 01 00"),
    CommandCase("gyroscope offsets", of: GyroscopeOffsets(x: 1, y: 2, z: 255), "13 06 01 02 ff"),
    CommandCase(
      "fusion", of: SensorFusion.configure(.init(mode: .m4g, acceleration: .g16)), "19 02 04 13"),
    CommandCase(
      "fusion outputs",
      of: SensorFusion.outputs(enable: [.quaternion, .gravity], disable: .eulerAngles),
      "19 03 28 10"),
    CommandCase("fusion on", of: SensorFusion.run(isOn: true), "19 01 01"),
    CommandCase("new zero", of: SensorFusion.resetOrientation, "19 0f 01"),
    CommandCase(
      "calibration of the gyroscope",
      of: SensorFusion.calibrate(.gyroscope, [4, 0, 8, 0, 1, 0, 0, 0, 3, 0]),
      "19 0d 0400 0800 0100 0000 0300"),
  ]

  static let connections = [
    CommandCase("pin 0 high", of: GPIO.write(pin: 0, isHigh: true), "05 01 00"),
    CommandCase("pin 1 low", of: GPIO.write(pin: 1, isHigh: false), "05 02 01"),
    CommandCase("pull-up", of: GPIO.pull(.up, pin: 2), "05 03 02"),
    CommandCase("no pull", of: GPIO.pull(.none, pin: 2), "05 05 02"),
    CommandCase("falling edges", of: GPIO.edge(.falling, pin: 7), "05 09 07 02"),
    CommandCase("watch", of: GPIO.watch(pin: 5, isOn: true), "05 0b 05 01"),
    CommandCase(
      "digital", of: GPIO.read(.level, pin: 4, nil, isSilent: false), "05 88 04"),
    CommandCase(
      "analogue with options",
      of: GPIO.read(
        .millivolts, pin: 3,
        .init(pullUpPin: 1, pullDownPin: 2, delaySteps: 2, virtualPin: 21), isSilent: false),
      "05 86 03 01 02 02 15"),
    CommandCase(
      "silent ratio without options", of: GPIO.read(.ratio, pin: 2, .init(), isSilent: true),
      "05 c7 02 ff ff 00 ff"),
    CommandCase(
      "I2C read",
      of: SerialBus.readI2C(device: 0x1c, register: 0x0d, id: 255, length: 1, isSilent: false),
      "0d 81 1c 0d ff 01"),
    CommandCase(
      "I2C write", of: SerialBus.writeI2C(device: 0x68, register: 0x6b, [0xde, 0xad]),
      "0d 01 68 6b ff 02 dead"),
    CommandCase(
      "SPI read",
      of: SerialBus.readSPI(spi, id: 14, length: 5, sending: [0xda], isSilent: true),
      "0d c2 0a 00 0b 07 76 e4 da"),
    CommandCase("SPI write", of: SerialBus.writeSPI(spi, [1, 2]), "0d 02 0a 00 0b 07 76 0102"),
    CommandCase("name", of: Settings.name(Array("AntiWare".utf8)), "11 01 416e746957617265"),
    CommandCase(
      "advertising, revision 0",
      of: Settings.advertising(
        .init(intervalMilliseconds: 417, timeoutSeconds: 180, revision: 0)), "11 02 a101 b4"),
    CommandCase(
      "advertising, revision 6",
      of: Settings.advertising(
        .init(intervalMilliseconds: 417, timeoutSeconds: 0, type: 1, revision: 6)),
      "11 02 9b02 00 01"),
    CommandCase("-20 dBm", of: Settings.sentPower(dBm: -20), "11 03 ec"),
    CommandCase("advertise", of: Settings.startAdvertising, "11 05"),
    CommandCase("link", of: Settings.link(.fast), "11 09 0600 0600 0000 5802"),
    CommandCase("whitelist for all", of: Settings.whitelistMode(.both), "11 13 03"),
    CommandCase(
      "whitelist entry",
      of: Settings.whitelist(index: 1, addressType: 0, BoardAddress(value: 0x0605_0403_0201)),
      "11 14 01 00 010203040506"),
    CommandCase("3 V", of: Settings.threeVolts(isOn: true), "11 1c 01"),
    CommandCase("1 Mbit/s", of: Settings.slowPhysicalLayer(isForced: true), "11 1d 01"),
  ]

  static let spi = SerialBus.SPI(
    selectPin: 10, clockPin: 0, outPin: 11, inPin: 7, isLeastSignificantFirst: false, mode: 3,
    clockCode: 6, hasNativePins: true)

  static let onBoard = [
    CommandCase("log", of: Logging.run(isOn: true), "0b 01 01"),
    CommandCase(
      "log the second half",
      of: Logging.addTrigger(SignalSource(.accelerometer, 0x04, length: 2, offset: 4)),
      "0b 02 03 04 ff 24"),
    CommandCase("which trigger", of: Logging.queryTrigger(2), "0b 82 02"),
    CommandCase("no trigger", of: Logging.removeTrigger(1), "0b 03 01"),
    CommandCase(
      "read out", of: Logging.readOut(entries: 414, progressInterval: 20),
      "0b 06 9e010000 14000000"),
    CommandCase("drop all", of: Logging.drop(entries: .max), "0b 09 ffffffff"),
    CommandCase("overwrite", of: Logging.overwrite(isOn: false), "0b 0b 00"),
    CommandCase("confirm", of: Logging.confirmPage, "0b 0e"),
    CommandCase("flush", of: Logging.flush, "0b 10 01"),
    CommandCase("watch a timer", of: Timer.notify(3, isOn: true), "0c 07 03 01"),
    CommandCase("begin a macro", of: Macro.begin(runsAtBoot: true), "0f 02 01"),
    CommandCase("store", of: Macro.store([2, 1, 1]), "0f 03 020101"),
    CommandCase("store the start", of: Macro.storeStart(9, 2), "0f 09 0902"),
    CommandCase("end", of: Macro.end, "0f 04"),
    CommandCase("run", of: Macro.run(1), "0f 05 01"),
    CommandCase("erase", of: Macro.eraseAll, "0f 08"),
    CommandCase("spoof the button", of: Debug.spoof([1, 1, 0, 7]), "fe 03 01010007"),
    CommandCase("key", of: Debug.setKey(0x1234_5678), "fe 04 78563412"),
    CommandCase("clean up", of: Debug.resetAfterCleaning, "fe 05"),
    CommandCase("save power", of: Debug.savePower, "fe 07"),
    CommandCase("stack", of: Debug.assertStack(isOn: false), "fe 09 00"),
    CommandCase("bootloader", of: Debug.bootloader, "fe 02"),
    CommandCase("state", of: DataProcessor.setState(1, [1, 0]), "09 04 01 0100"),
    CommandCase("read state", of: DataProcessor.readState(1, isSilent: true), "09 c4 01"),
    CommandCase("which processor", of: DataProcessor.query(3), "09 82 03"),
  ]

  @Test(arguments: lights + sensors + connections + onBoard)
  func `a command is encoded as in the reference and decodes to itself`(_ item: CommandCase) {
    Self.expectRoundTrip(item, on: Self.bmi160)
  }

  // MARK: Motion features

  static let bosch = [
    CommandCase(
      "high on x and low", of: BoschFeature.detect([.highX, .low]), "03 06 09 00"),
    CommandCase("neither", of: BoschFeature.ignoreExcesses, "03 06 00 0f"),
    CommandCase("any motion", of: BoschFeature.detect(.any, on: .bmi160), "03 09 07 00"),
    CommandCase("no motion", of: BoschFeature.detect(.no, on: .bmi160), "03 09 38 00"),
    CommandCase("no motion, BMA255", of: BoschFeature.detect(.no, on: .bma255), "03 09 78 00"),
    CommandCase("motion off", of: BoschFeature.ignore(.slow, on: .bma255), "03 09 00 38"),
    CommandCase("taps", of: BoschFeature.detect([.single, .double]), "03 0c 03 00"),
    CommandCase("flat", of: BoschFeature.single(.flat, isOn: true), "03 12 01 00"),
    CommandCase("orientation", of: BoschFeature.orientation(0x18, 0x48), "03 10 18 48"),
    CommandCase(
      "robust steps", of: BoschFeature.steps(.init(.robust, isCounting: true)), "03 18 1d 0f"),
    CommandCase("no steps yet", of: BoschFeature.resetSteps, "03 1b"),
  ]

  @Test(arguments: bosch)
  func `a Bosch feature command is encoded as in the reference and decodes to itself`(
    _ item: CommandCase
  ) {
    Self.expectRoundTrip(item, on: Self.bmi160)
  }

  @Test func `thresholds and times are converted to the chip's steps and clamped to its limits`() {
    var motion = MotionSettings(defaultsOf: .bmi160)
    motion.setAny(count: 4, g: 0.75, range: 8)
    #expect(motion.bytes == hex("03 2f 14 14"))
    motion = MotionSettings(defaultsOf: .bmi160)
    motion.setNo(milliseconds: 10_000, g: 0.5, range: 2, on: .bmi160)
    #expect(motion.bytes == hex("18 14 7f 15"))
    motion = MotionSettings(defaultsOf: .bmi160)
    motion.setSignificant(skip: .seconds1half, proof: .second)
    #expect(motion.bytes == hex("00 14 14 22"))
    motion = MotionSettings(defaultsOf: .bma255)
    motion.setSlow(count: 5, g: 1.5, range: 4)
    #expect(motion.bytes == hex("10 14 c0"))

    var excess = LowHighSettings(defaultsOf: .bma255)
    excess.setHigh(g: 2, milliseconds: 15, range: 16, on: .bma255)
    #expect(excess.bytes == hex("09 30 81 06 20"))
    excess.setLow(g: 0.5, milliseconds: 20, isSum: true, on: .bma255)
    #expect(excess.bytes == hex("09 40 85 06 20"))
    excess.setLow(g: .infinity, milliseconds: -5, isSum: false, on: .bmi160)
    #expect(excess.bytes == hex("00 ff 81 06 20"))
  }

  static let motionS = [
    CommandCase(
      "gestures of the right wrist",
      of: BMI270Feature.configure(.wristGesture(.init(isRightArm: true))),
      "03 08 08 1000 3203 5000 6400"),
    CommandCase(
      "turning the wrist",
      of: BMI270Feature.configure(.wristWakeUp(BMI270Feature.wristWakeUpDefault)),
      "03 08 09 a805 ee06 0004 bc02 b300 8507"),
    CommandCase(
      "no motion along y",
      of: BMI270Feature.configure(.noMotion(.init(duration: 5, threshold: 170, axes: 2))),
      "03 08 02 0540 aa00"),
    CommandCase(
      "any motion as it comes", of: BMI270Feature.configure(.anyMotion(.anyDefault)),
      "03 08 01 05e0 aa38"),
    CommandCase(
      "a report each 20 steps", of: BMI270Feature.configure(.stepReport(intervals: 1)),
      "03 08 07 00 0e 01 00"),
    CommandCase("axes", of: BMI270Feature.configure(.axes(0x88, 0)), "03 08 00 88 00"),
    CommandCase(
      "activity on", of: BMI270Feature.features(enable: .activity, disable: []), "03 06 04 00"),
    CommandCase(
      "its interrupt off", of: BMI270Feature.interrupts(enable: [], disable: .activity),
      "03 07 00 04"),
    CommandCase(
      "down-sampling",
      of: BMI270Feature.downsampling(
        gyroscope: 3, isGyroscopeFiltered: true, accelerometer: 5, isAccelerometerFiltered: true),
      "03 11 db"),
    CommandCase("its thermometer", of: BMI270Feature.dieTemperature(isOn: true), "03 0e 01"),
    CommandCase("offsets", of: BMI270Feature.offsets(use: 1, x: 2, y: 3, z: 4), "03 10 01020304"),
  ]

  @Test(arguments: motionS)
  func `a BMI270 feature command is encoded as in the reference and decodes to itself`(
    _ item: CommandCase
  ) {
    Self.expectRoundTrip(item, on: Self.bmi270)
  }

  static let motionR = [
    CommandCase("shake on", of: MMA8452QFeature.enable(.shake, isOn: true), "03 0e 01"),
    CommandCase(
      "free fall", of: MMA8452QFeature.movement(isFreeFall: true, thresholdG: 0.63),
      "03 06 b8 00 0a 0a"),
    CommandCase(
      "double tap on z", of: MMA8452QFeature.tap(along: .z, isDouble: true),
      "03 0c 60 00 1f 1f 1f 18 28 3c"),
    CommandCase("shaking along x", of: MMA8452QFeature.shake(along: .x), "03 0f 12 00 07 05"),
    CommandCase("no samples", of: SensorControl.plainDataReady(isOn: false), "03 02 00"),
  ]

  @Test(arguments: motionR)
  func `an MMA8452Q command is encoded as in the reference and decodes to itself`(
    _ item: CommandCase
  ) {
    Self.expectRoundTrip(item, on: Self.mma8452q)
  }

  // MARK: Sequences

  @Test func `sensor fusion sets up, starts and stops its sensors in the vendor's order`() throws {
    let accelerometer = Accelerometer(chip: .bmi160, revision: 2)
    let configure = try SensorFusion.configure(
      .init(mode: .ndof), on: accelerometer, magnetometerRevision: 2)
    #expect(
      configure.map(\.bytes)
        == ["19 02 01 10", "03 03 28 03", "13 03 28 00", "15 01 00", "15 04 04 0e", "15 03 06"]
        .map(hex))
    let start = SensorFusion.start(.imuPlus, .quaternion)
    #expect(
      start.map(\.bytes)
        == ["03 02 01 00", "13 02 01 00", "03 01 01", "13 01 01", "19 03 08 00", "19 01 01"]
        .map(hex))
    let stop = SensorFusion.stop(.compass)
    #expect(
      stop.map(\.bytes)
        == ["19 01 00", "19 03 00 7f", "03 01 00", "15 01 00", "03 02 00 01", "15 02 00 01"]
        .map(hex))
    #expect(throws: SettingError.self) {
      // The BMA255 does not support 100 Hz.
      try SensorFusion.configure(
        .init(mode: .ndof), on: Accelerometer(chip: .bma255, revision: 1), magnetometerRevision: 1)
    }
  }

  @Test func `a subscription to the magnetometer's threshold event decodes to itself`()
    throws
  {
    let modules = ModuleTable([.magnetometer: ModuleInfo(implementation: 0, revision: 2)])
    let request = try #require(SignalRequest(.subscribe, .magneticThreshold, on: modules))
    #expect(request.command.bytes == [0x15, 0x08, 0x01])
    #expect(request.command.meaning(on: modules) as? SignalRequest == request)
  }

  @Test func `a long value is logged in pieces of at most four bytes`() {
    let quaternion = SignalSource(.sensorFusion, 0x07, length: 16)
    #expect(
      quaternion.pieces().map { Logging.addTrigger($0).command.bytes[5] } == hex("60 64 68 6c"))
    let corrected = SignalSource(.sensorFusion, 0x04, length: 13)
    #expect(
      corrected.pieces().map { Logging.addTrigger($0).command.bytes[5] } == hex("60 64 68 0c"))
  }

  @Test func `pieces with an offset above 31, the largest in a trigger, are not logged`() throws {
    // A trigger as a board might describe it: eight bytes from offset 31.
    let packet = hex("0b 82 03 04 ff ff")
    guard
      case .logTrigger(let source?) = try Notification(decoding: packet.span, from: Self.bmi160)
    else {
      Issue.record("no trigger")
      return
    }
    #expect(source.length == 8)
    #expect(source.pieces() == [SignalSource(.accelerometer, 0x04, length: 4, offset: 31)])
    let inside = SignalSource(.accelerometer, 0x04, length: 8, offset: 26)
    #expect(inside.pieces().map(\.offset) == [26, 30])
  }

  @Test
  func `a macro stores a command of up to 17 bytes in one piece, and a longer command in two`() {
    for length in 2...20 {
      let command = Command(.settings, 0x01, [UInt8](repeating: 0x41, count: length - 2))
      let pieces = Macro.record([command], runsAtBoot: true)
      #expect(pieces.count == (length > 17 ? 4 : 3), "\(length) bytes")
      let stored = pieces.flatMap { piece -> [UInt8] in
        switch piece {
        case .store(let bytes): bytes
        case .storeStart(let first, let second): [first, second]
        default: []
        }
      }
      #expect(stored == command.bytes)
    }
  }

  @Test
  func `a factory reset erases everything and then resets the board; a teardown does not reset it`()
  {
    #expect(
      Debug.factoryReset.map(\.bytes)
        == ["0b 01 00", "0b 09 ffffffff", "0b 0a", "0a 05", "09 08", "0f 08", "fe 05", "fe 01"]
        .map(hex))
    #expect(
      Debug.tearDown(timers: [2]).map(\.bytes) == ["0c 05 02", "09 08", "0a 05", "0b 0a"].map(hex))
  }

  @Test func `a scan response longer than 18 bytes takes two packets`() {
    let whole = (0..<20).map { UInt8($0) }
    let parts = Settings.scanResponse(whole: whole)
    #expect(
      parts.map(\.command.bytes)
        == [[0x11, 0x08] + whole.prefix(13), [0x11, 0x07] + whole.dropFirst(13)])
    #expect(Settings.scanResponse(whole: [1]).map(\.command.bytes) == [[0x11, 0x07, 1]])
  }

  @Test func `part of an event's value can become a parameter of its command`() {
    let parts = Event.record(
      DataProcessor.modify(1, .time(length: 8, .absolute, periodMilliseconds: 0)),
      when: .processor(0), copying: .init(length: 2, parameterOffset: 4))
    #expect(
      parts.map(\.bytes) == ["0a 02 09 03 00 09 05 07 05 04", "0a 03 01 08 07 00000000"].map(hex))
    for part in parts { #expect(part.meaning(on: Self.bmi160) is Event) }
  }

  // MARK: Any bytes

  @Test(arguments: [mma8452q, bmi160, bma255, bmi270])
  func `a command decoded from random bytes is encoded to the same bytes`(
    _ modules: ModuleTable
  ) {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for module in ModuleID.allCases {
      for register in UInt8.min...UInt8.max {
        for length in 0...18 {
          // Small numbers, so that many of them are valid codes.
          let limit: UInt8 = Bool.random(using: &generator) ? 3 : .max
          let payload = (0..<length).map { _ in UInt8.random(in: 0...limit, using: &generator) }
          guard let command = Command(bytes: [module.rawValue, register] + payload) else {
            continue
          }
          let meaning = command.meaning(on: modules)
          if meaning.command != command { Issue.record("\(command), seed \(seed)") }
        }
      }
    }
  }
}
