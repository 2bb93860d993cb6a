import MetaWearProtocol
import TestSupport
import Testing

/// Commands from the reference that are missing from all other tables, by section.
@Suite(.computation) struct ReferenceCommandTests {
  typealias Timer = MetaWearProtocol.Timer

  static let motion = [
    // §6.1 and §6.4, BMI160
    CommandCase("accelerometer on", of: SensorControl.power(.accelerometer, .on), "03 01 01"),
    CommandCase("accelerometer off", of: SensorControl.power(.accelerometer, .off), "03 01 00"),
    CommandCase("samples", of: SensorControl.dataReady(.accelerometer, isOn: true), "03 02 01 00"),
    CommandCase(
      "no samples", of: SensorControl.dataReady(.accelerometer, isOn: false), "03 02 00 01"),
    CommandCase("low and high", of: BoschFeature.detect([.highX, .highY, .highZ]), "03 06 07 00"),
    CommandCase(
      "their setting", of: BoschFeature.lowHigh(.init(defaultsOf: .bmi160)), "03 07 0730810bc0"),
    CommandCase("slow motion", of: BoschFeature.detect(.slow, on: .bma255), "03 09 38 00"),
    CommandCase(
      "significant motion", of: BoschFeature.detect(.significant, on: .bmi160), "03 09 07 00"),
    CommandCase("no any motion", of: BoschFeature.ignore(.any, on: .bmi160), "03 09 00 07"),
    CommandCase(
      "no significant motion", of: BoschFeature.ignore(.significant, on: .bmi160), "03 09 00 07"),
    CommandCase("no no motion", of: BoschFeature.ignore(.no, on: .bmi160), "03 09 00 38"),
    CommandCase(
      "no no motion on a BMA255", of: BoschFeature.ignore(.no, on: .bma255), "03 09 00 78"),
    CommandCase(
      "setting of motion", of: BoschFeature.motion(.init(defaultsOf: .bmi160)), "03 0a 00141414"),
    CommandCase(
      "setting of motion, BMA255", of: BoschFeature.motion(.init(defaultsOf: .bma255)),
      "03 0a 001414"),
    CommandCase("double taps", of: BoschFeature.detect(.double), "03 0c 01 00"),
    CommandCase("single taps", of: BoschFeature.detect(.single), "03 0c 02 00"),
    CommandCase("no taps", of: BoschFeature.ignoreTaps, "03 0c 00 03"),
    CommandCase("setting of taps", of: BoschFeature.tap(.init()), "03 0d 04 0a"),
    CommandCase("orientation", of: BoschFeature.single(.orientation, isOn: true), "03 0f 01 00"),
    CommandCase(
      "no orientation", of: BoschFeature.single(.orientation, isOn: false), "03 0f 00 01"),
    CommandCase("not flat", of: BoschFeature.single(.flat, isOn: false), "03 12 00 01"),
    CommandCase("setting of flat", of: BoschFeature.flat(0x08, 0x11), "03 13 08 11"),
    CommandCase("steps", of: BoschFeature.single(.stepDetector, isOn: true), "03 17 01 00"),
    CommandCase("no steps", of: BoschFeature.single(.stepDetector, isOn: false), "03 17 00 01"),
    CommandCase(
      "normal steps", of: BoschFeature.steps(.init(.normal, isCounting: false)), "03 18 15 03"),
    CommandCase(
      "sensitive steps", of: BoschFeature.steps(.init(.sensitive, isCounting: false)),
      "03 18 2d 00"),
    CommandCase(
      "counted steps", of: BoschFeature.steps(.init(.normal, isCounting: true)), "03 18 15 0b"),
  ]

  static let motionS = [
    // §6.5
    CommandCase(
      "low power", of: SensorControl.power(.accelerometer, .low), "03 01 02"),
    CommandCase(
      "significant motion",
      of: BMI270Feature.features(enable: .significantMotion, disable: []), "03 06 01 00"),
    CommandCase(
      "step counter", of: BMI270Feature.features(enable: .stepCounter, disable: []), "03 06 02 00"),
    CommandCase(
      "wrist", of: BMI270Feature.features(enable: [.wristWakeUp, .wristGesture], disable: []),
      "03 06 18 00"),
    CommandCase(
      "motion off", of: BMI270Feature.features(enable: [], disable: [.noMotion, .anyMotion]),
      "03 06 00 60"),
    CommandCase(
      "interrupt of the step detector",
      of: BMI270Feature.interrupts(enable: .stepDetector, disable: []), "03 07 80 00"),
    CommandCase(
      "no motion as it comes", of: BMI270Feature.configure(.noMotion(.noDefault)),
      "03 08 02 05e0 9030"),
    CommandCase(
      "significant motion of 250 samples",
      of: BMI270Feature.configure(.significantMotion(blockSize: 250)), "03 08 03 fa00"),
    CommandCase(
      "another bank", of: BMI270Feature.configure(.bank(4, [1, 2, 3, 4])), "03 08 04 01020304"),
  ]

  static let others = [
    // §7 and §8
    CommandCase("gyroscope on", of: SensorControl.power(.gyroscope, .on), "13 01 01"),
    CommandCase("gyroscope off", of: SensorControl.power(.gyroscope, .off), "13 01 00"),
    CommandCase(
      "no rotation", of: SensorControl.dataReady(.gyroscope, isOn: false), "13 02 00 01"),
    CommandCase("magnetometer on", of: SensorControl.power(.magnetometer, .on), "15 01 01"),
    CommandCase(
      "magnetometer samples", of: SensorControl.dataReady(.magnetometer, isOn: true),
      "15 02 01 00"),
    CommandCase(
      "no magnetometer samples", of: SensorControl.dataReady(.magnetometer, isOn: false),
      "15 02 00 01"),
    // §9 to §11
    CommandCase(
      "pressure alone", of: Barometer.measure(isOn: true, withAltitude: false), "12 04 01 00"),
    CommandCase("light off", of: AmbientLight.measure(isOn: false), "14 01 00"),
    // §12
    CommandCase("pull-down", of: GPIO.pull(.down, pin: 3), "05 04 03"),
    CommandCase("no edges", of: GPIO.edge(.off, pin: 1), "05 09 01 00"),
    CommandCase("rising edges", of: GPIO.edge(.rising, pin: 1), "05 09 01 01"),
    CommandCase("all edges", of: GPIO.edge(.any, pin: 1), "05 09 01 03"),
    CommandCase("leave a pin", of: GPIO.watch(pin: 5, isOn: false), "05 0b 05 00"),
    CommandCase(
      "millivolts, first revisions", of: GPIO.read(.millivolts, pin: 3, nil, isSilent: false),
      "05 86 03"),
    // §13
    CommandCase("play", of: LED.playback(.play), "02 01 01"),
    CommandCase(
      "blink green", of: LED.store(.blink, .green), "02 03 00 02 1f 00 0000 3200 0000 f401 0000 ff"),
    CommandCase(
      "no power", of: Haptic.motor(percent: 0, milliseconds: 1), "08 01 00 0100 00"),
    CommandCase(
      "all power", of: Haptic.motor(percent: 100, milliseconds: 65_535), "08 01 f8 ffff 00"),
    CommandCase("no iBeacon", of: IBeacon.enable(isOn: false), "07 01 00"),
    CommandCase(
      "slow strand",
      of: NeoPixel.open(strand: 0, .greenBlueRed, isFast: false, pin: 2, count: 8),
      "06 01 00 03 02 08"),
    CommandCase("no hold", of: NeoPixel.hold(strand: 0, isOn: false), "06 02 00 00"),
    CommandCase(
      "round forever",
      of: NeoPixel.rotate(strand: 1, isAway: false, times: NeoPixel.endless, milliseconds: 500),
      "06 05 01 00 ff f401"),
    // §14: 1 MHz, mode 2, least significant bit first
    CommandCase(
      "SPI, another manner",
      of: SerialBus.writeSPI(
        .init(
          selectPin: 1, clockPin: 2, outPin: 3, inPin: 4, isLeastSignificantFirst: true, mode: 2,
          clockCode: 3, hasNativePins: false), [0x55]), "0d 02 01 02 03 04 1d 55"),
    CommandCase(
      "silent I2C read",
      of: SerialBus.readI2C(device: 0x68, register: 1, id: 3, length: 10, isSilent: true),
      "0d c1 68 01 03 0a"),
    // §15
    CommandCase("fusion off", of: SensorFusion.run(isOn: false), "19 01 00"),
    CommandCase(
      "no outputs", of: SensorFusion.outputs(enable: [], disable: .all), "19 03 00 7f"),
    CommandCase(
      "calibration of the accelerometer",
      of: SensorFusion.calibrate(.accelerometer, [UInt8](1...10)), "19 0c 0102030405060708090a"),
    CommandCase(
      "calibration of the magnetometer",
      of: SensorFusion.calibrate(.magnetometer, [UInt8](1...10)), "19 0e 0102030405060708090a"),
    CommandCase(
      "read a calibration", SensorFusion.readCalibration(of: .gyroscope), "19 8d"),
    // §16
    CommandCase("4 dBm", of: Settings.sentPower(dBm: 4), "11 03 04"),
    CommandCase("scan response", of: Settings.scanResponse([2, 1, 6]), "11 07 020106"),
    CommandCase("first part of one", of: Settings.scanResponseStart([3, 3]), "11 08 0303"),
    CommandCase("whitelist for none", of: Settings.whitelistMode(.open), "11 13 00"),
    CommandCase("no 3 V", of: Settings.threeVolts(isOn: false), "11 1c 00"),
    CommandCase("any speed", of: Settings.slowPhysicalLayer(isForced: false), "11 1d 00"),
    // §17
    CommandCase("no log", of: Logging.run(isOn: false), "0b 01 00"),
    CommandCase(
      "log a thermometer",
      of: Logging.addTrigger(
        SignalSource(
          PacketHeader(.temperature, 0x01, isRead: true, isSilent: true), index: 1, length: 2)),
      "0b 02 04 c1 01 20"),
    CommandCase(
      "log one axis",
      of: Logging.addTrigger(SignalSource(.accelerometer, 0x04, length: 2, offset: 2)),
      "0b 02 03 04 ff 22"),
    CommandCase("keep the newest", of: Logging.overwrite(isOn: true), "0b 0b 01"),
    CommandCase("drop 100", of: Logging.drop(entries: 100), "0b 09 64000000"),
    CommandCase("the log's length", Logging.readLength, "0b 85"),
    CommandCase("recycled pages", Logging.readRecycledPages, "0b 8c"),
    // §18
    CommandCase(
      "count the packets of a quaternion in one byte",
      of: DataProcessor.create(
        .accounter(isTime: false, stampLength: 1), on: SignalSource(.sensorFusion, 0x07, length: 8)),
      "09 02 19 07 ff e0 11 00 03"),
    CommandCase(
      "count the accelerometer's",
      of: DataProcessor.create(.counter, on: SignalSource(.accelerometer, 0x04, length: 6)),
      "09 02 03 04 ff a0 11 30 03"),
    CommandCase(
      "another period",
      of: DataProcessor.modify(2, .time(length: 6, .absolute, periodMilliseconds: 1000)),
      "09 05 02 08 05 e8030000"),
    CommandCase("read a state", of: DataProcessor.readState(2, isSilent: false), "09 84 02"),
    // §19
    CommandCase(
      "when a pin changes",
      of: Event.begin(.pin(3), PacketHeader(.led, 0x01), parameterCount: 1, nil),
      "0a 02 05 0a 03 02 01 01"),
    CommandCase(
      "when a processor has output",
      of: Event.begin(.processor(2), PacketHeader(.debug, 0x06), parameterCount: 0, nil),
      "0a 02 09 03 02 fe 06 00"),
    CommandCase("parameters", of: Event.parameters([1, 2]), "0a 03 0102"),
    // §20 to §22
    CommandCase("leave a timer", of: Timer.notify(3, isOn: false), "0c 07 03 00"),
    CommandCase("begin, not at boot", of: Macro.begin(runsAtBoot: false), "0f 02 00"),
    CommandCase("stack on", of: Debug.assertStack(isOn: true), "fe 09 01"),
  ]

  @Test(arguments: [
    (ModuleCommandTests.bmi160, motion + others), (ModuleCommandTests.bmi270, motionS),
  ])
  func `a command is encoded as in the reference and decodes to itself`(
    _ modules: ModuleTable, _ cases: [CommandCase]
  ) {
    for item in cases { ModuleCommandTests.expectRoundTrip(item, on: modules) }
  }

  @Test func `MMA8452Q orientation, movement and tap commands are encoded as in the reference`() {
    // §6.6
    let start = MMA8452QFeature.orientation(isOn: true)
    #expect(start.map(\.command.bytes) == ["03 09 00c00a4484", "03 08 01"].map(hex))
    let stop = MMA8452QFeature.orientation(isOn: false)
    #expect(stop.map(\.command.bytes) == ["03 08 00", "03 09 0080004484"].map(hex))
    let motion = MMA8452QFeature.movement(isFreeFall: false, thresholdG: 0.126)
    #expect(motion.command.bytes == hex("03 06 f8 00 02 0a"))
    for (axis, single, double) in [
      (MMA8452QFeature.Axis.x, 0x41, 0x42), (.y, 0x44, 0x48), (.z, 0x50, 0x60),
    ] {
      #expect(MMA8452QFeature.tap(along: axis, isDouble: false).command.bytes[2] == single)
      #expect(MMA8452QFeature.tap(along: axis, isDouble: true).command.bytes[2] == double)
    }
  }

  /// A signal, and the requests that subscribe to it and read it; `nil` for a request that does not
  /// exist.
  struct SignalCase: CustomTestStringConvertible, Sendable {
    var signal: Signal
    var subscribe: String?
    var read: String?
    var testDescription: String { signal.rawValue }

    init(_ signal: Signal, subscribe: String? = nil, read: String? = nil) {
      self.signal = signal
      self.subscribe = subscribe
      self.read = read
    }
  }

  static let everywhere = [
    SignalCase(.switch, subscribe: "01 01 01", read: "01 81"),
    SignalCase(.pinChange, subscribe: "05 0a 01"),
    SignalCase(.processor, subscribe: "09 03 01"),
    SignalCase(.logEntries, subscribe: "0b 07 01"),
    SignalCase(.logProgress, subscribe: "0b 08 01"),
    SignalCase(.logPage, subscribe: "0b 0d 01"),
    SignalCase(.logTime, read: "0b 84"), SignalCase(.logLength, read: "0b 85"),
    SignalCase(.timer, subscribe: "0c 06 01"),
    SignalCase(.name, read: "11 81"), SignalCase(.advertising, read: "11 82"),
    SignalCase(.sentPower, read: "11 83"), SignalCase(.scanResponse, read: "11 87"),
    SignalCase(.connectionParameters, read: "11 89"), SignalCase(.mac, read: "11 8b"),
    SignalCase(.battery, subscribe: "11 0c 01", read: "11 8c"),
    SignalCase(.powerStatus, subscribe: "11 11 01", read: "11 91"),
    SignalCase(.chargeStatus, subscribe: "11 12 01", read: "11 92"),
    SignalCase(.pressure, subscribe: "12 01 01", read: "12 81"),
    SignalCase(.altitude, subscribe: "12 02 01", read: "12 82"),
    SignalCase(.illuminance, subscribe: "14 03 01"),
    SignalCase(.magneticField, subscribe: "15 05 01"),
    SignalCase(.magneticThreshold, subscribe: "15 08 01"),
    SignalCase(.magneticFieldPacked, subscribe: "15 09 01"),
    SignalCase(.humidity, read: "16 81"), SignalCase(.color, read: "17 81"),
    SignalCase(.proximity, read: "18 81"),
    SignalCase(.correctedAcceleration, subscribe: "19 04 01"),
    SignalCase(.correctedAngularVelocity, subscribe: "19 05 01"),
    SignalCase(.correctedMagneticField, subscribe: "19 06 01"),
    SignalCase(.quaternion, subscribe: "19 07 01"), SignalCase(.euler, subscribe: "19 08 01"),
    SignalCase(.gravity, subscribe: "19 09 01"),
    SignalCase(.linearAcceleration, subscribe: "19 0a 01"),
    SignalCase(.fusionConfiguration, read: "19 82"),
    SignalCase(.fusionCalibrationState, read: "19 8b"),
    SignalCase(.accelerometerCalibration, read: "19 8c"),
    SignalCase(.gyroscopeCalibration, read: "19 8d"),
    SignalCase(.magnetometerCalibration, read: "19 8e"),
    SignalCase(.gyroscopeConfiguration, read: "13 83"),
    SignalCase(.accelerometerConfiguration, read: "03 83"),
    SignalCase(.acceleration, subscribe: "03 04 01"),
    SignalCase(.debugKey, read: "fe 84"), SignalCase(.stackOverflow, read: "fe 89"),
    SignalCase(.scheduleQueue, read: "fe 8a"), SignalCase(.resetReason, read: "fe 8b"),
    SignalCase(.flashStatistics, read: "fe 93"),
  ]

  static let onBMI160 = [
    SignalCase(.accelerationPacked, subscribe: "03 1c 01"),
    SignalCase(.lowHigh, subscribe: "03 08 01"), SignalCase(.motion, subscribe: "03 0b 01"),
    SignalCase(.tap, subscribe: "03 0e 01"), SignalCase(.orientation, subscribe: "03 11 01"),
    SignalCase(.flat, subscribe: "03 14 01"), SignalCase(.stepDetector, subscribe: "03 19 01"),
    SignalCase(.stepCounter, read: "03 9a"), SignalCase(.wrist), SignalCase(.activity),
    SignalCase(.dieTemperature), SignalCase(.movement), SignalCase(.shake),
    SignalCase(.angularVelocity, subscribe: "13 05 01"),
    SignalCase(.angularVelocityPacked, subscribe: "13 07 01"),
  ]

  static let onBMI270 = [
    SignalCase(.accelerationPacked, subscribe: "03 05 01"),
    SignalCase(.motion, subscribe: "03 09 01"), SignalCase(.wrist, subscribe: "03 0a 01"),
    SignalCase(.stepCounter, subscribe: "03 0b 01", read: "03 8b"),
    SignalCase(.stepDetector, subscribe: "03 0b 01"),
    SignalCase(.activity, subscribe: "03 0c 01"), SignalCase(.dieTemperature, read: "03 8f"),
    SignalCase(.tap), SignalCase(.orientation), SignalCase(.flat), SignalCase(.lowHigh),
    SignalCase(.angularVelocity, subscribe: "13 04 01"),
    SignalCase(.angularVelocityPacked, subscribe: "13 05 01"),
  ]

  static let onMMA8452Q = [
    SignalCase(.accelerationPacked, subscribe: "03 12 01"),
    SignalCase(.movement, subscribe: "03 07 01"), SignalCase(.orientation, subscribe: "03 0a 01"),
    SignalCase(.tap, subscribe: "03 0d 01"), SignalCase(.shake, subscribe: "03 10 01"),
    SignalCase(.motion), SignalCase(.stepCounter), SignalCase(.flat),
  ]

  @Test(arguments: [
    (ModuleCommandTests.bmi160, everywhere + onBMI160),
    (ModuleCommandTests.bmi270, everywhere + onBMI270),
    (ModuleCommandTests.mma8452q, onMMA8452Q),
  ])
  func `a signal is requested only from a chip that has it, and only in ways the chip supports`(
    _ modules: ModuleTable, _ cases: [SignalCase]
  ) {
    for item in cases {
      let subscribe = SignalRequest(.subscribe, item.signal, on: modules)
      #expect(subscribe?.command.bytes == item.subscribe.map(hex), "\(item.signal)")
      let unsubscribe = SignalRequest(.unsubscribe, item.signal, on: modules)
      #expect(
        unsubscribe?.command.bytes == item.subscribe.map { Array(hex($0).prefix(2)) + [0] })
      let read = SignalRequest(.read, item.signal, on: modules)
      #expect(read?.command.bytes == item.read.map(hex), "\(item.signal)")
      let silent = SignalRequest(.readSilently, item.signal, on: modules)
      #expect(silent?.command.bytes[1] == item.read.map { hex($0)[1] | 0x40 }, "\(item.signal)")
    }
  }

  @Test func `this suite's tables contain every signal`() {
    let named = Set(
      (Self.everywhere + Self.onBMI160 + Self.onBMI270 + Self.onMMA8452Q).map(\.signal))
    #expect(named == Set(Signal.allCases))
  }
}
