import MetaWearProtocol
import TestSupport
import Testing

/// The reference's complete code tables: every rate, range, preset and mode of every chip, with its
/// byte.
@Suite(.computation) struct ReferenceCodeTests {
  /// The rates of a chip in table order, and the bytes that select them.
  struct Rates: CustomTestStringConvertible, Sendable {
    var sensor: any MotionSensor
    var hertz: [Double]
    var codes: String

    var testDescription: String { "\(sensor.chipName) \(sensor.signal)" }
  }

  static let rates = [
    // §6.2
    Rates(
      sensor: MotionSensorTests.bmi160,
      hertz: [0.78125, 1.5625, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600],
      codes: "81 82 83 84 25 26 27 28 29 2a 2b 2c"),
    Rates(
      sensor: MotionSensorTests.bmi270,
      hertz: [0.78125, 1.5625, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600],
      codes: "21 22 23 24 a5 a6 a7 a8 a9 aa ab ac"),
    Rates(
      sensor: MotionSensorTests.bma255,
      hertz: [15.62, 31.26, 62.5, 125, 250, 500, 1000, 2000],
      codes: "08 09 0a 0b 0c 0d 0e 0f"),
    // The third byte, with the index in bits 3 to 5.
    Rates(
      sensor: MotionSensorTests.mma8452q,
      hertz: [1.56, 6.25, 12.5, 50, 100, 200, 400, 800],
      codes: "38 30 28 20 18 10 08 00"),
    // §7
    Rates(
      sensor: MotionSensorTests.gyro160,
      hertz: [25, 50, 100, 200, 400, 800, 1600, 3200],
      codes: "26 27 28 29 2a 2b 2c 2d"),
    Rates(
      sensor: MotionSensorTests.gyro270,
      hertz: [25, 50, 100, 200, 400, 800, 1600, 3200],
      codes: "26 27 28 29 2a 2b 2c 2d"),
  ]

  @Test(arguments: rates)
  func `every rate of a chip is encoded as in the reference`(_ item: Rates) {
    #expect(item.sensor.rates.map(\.hertz) == item.hertz)
    #expect(item.sensor.rates.map(\.code) == hex(item.codes))
  }

  /// The ranges of a chip, narrowest first, with their bytes and counts per unit.
  struct Ranges: CustomTestStringConvertible, Sendable {
    var sensor: any MotionSensor
    var limits: [Double]
    var codes: String
    var countsPerUnit: [Double]

    var testDescription: String { "\(sensor.chipName) \(sensor.signal)" }
  }

  static let ranges = [
    Ranges(
      sensor: MotionSensorTests.bmi160, limits: [2, 4, 8, 16], codes: "03 05 08 0c",
      countsPerUnit: [16384, 8192, 4096, 2048]),
    Ranges(
      sensor: MotionSensorTests.bma255, limits: [2, 4, 8, 16], codes: "03 05 08 0c",
      countsPerUnit: [16384, 8192, 4096, 2048]),
    Ranges(
      sensor: MotionSensorTests.bmi270, limits: [2, 4, 8, 16], codes: "00 01 02 03",
      countsPerUnit: [16384, 8192, 4096, 2048]),
    Ranges(
      sensor: MotionSensorTests.mma8452q, limits: [2, 4, 8], codes: "00 01 02",
      countsPerUnit: [1000, 1000, 1000]),
    Ranges(
      sensor: MotionSensorTests.gyro160, limits: [125, 250, 500, 1000, 2000],
      codes: "04 03 02 01 00", countsPerUnit: [262.4, 131.2, 65.6, 32.8, 16.4]),
    Ranges(
      sensor: MotionSensorTests.gyro270, limits: [125, 250, 500, 1000, 2000],
      codes: "04 03 02 01 00", countsPerUnit: [262.4, 131.2, 65.6, 32.8, 16.4]),
  ]

  @Test(arguments: ranges)
  func `every range of a chip has the code and scale given in the reference`(_ item: Ranges) {
    #expect(item.sensor.ranges.map(\.limit) == item.limits)
    #expect(item.sensor.ranges.map(\.code) == hex(item.codes))
    #expect(item.sensor.ranges.map(\.countsPerUnit) == item.countsPerUnit)
  }

  @Test func `the magnetometer's eight rates and four presets are encoded as in the reference`() {
    // §8
    #expect(Magnetometer.Rate.allCases.map(\.hertz) == [10, 2, 6, 8, 15, 20, 25, 30])
    #expect(Magnetometer.Rate.allCases.map(\.rawValue) == Array(0...7))
    let presets: [(Magnetometer.Preset, String, String)] = [
      (.lowPower, "15 04 01 02", "15 03 00"),  // 3, 3, 10 Hz
      (.regular, "15 04 04 0e", "15 03 00"),  // 9, 15, 10 Hz
      (.enhancedRegular, "15 04 07 1a", "15 03 00"),  // 15, 27, 10 Hz
      (.highAccuracy, "15 04 17 52", "15 03 05"),  // 47, 83, 20 Hz
    ]
    for (preset, repetitions, rate) in presets {
      #expect(
        Magnetometer.configure(preset, revision: 1).map(\.bytes) == [hex(repetitions), hex(rate)])
      // From revision 2, the magnetometer is suspended after booting, so the first command puts it
      // into sleep mode.
      #expect(
        Magnetometer.configure(preset, revision: 2).map(\.bytes)
          == [hex("15 01 00"), hex(repetitions), hex(rate)])
    }
  }

  @Test func `the barometer's four settings are encoded in two bytes`() {
    // §9: pressure oversampling << 2 | temperature oversampling << 5, filter << 2 | standby << 5
    let first: [(Barometer.Oversampling, UInt8)] = [
      (.skip, 0x20), (.ultraLowPower, 0x24), (.lowPower, 0x28), (.standard, 0x2c), (.high, 0x30),
      (.ultraHigh, 0x54),
    ]
    for (oversampling, byte) in first {
      #expect(
        Barometer.configure(.init(oversampling: oversampling)).command.bytes == [0x12, 3, byte, 0])
    }
    for (filter, byte) in zip(Barometer.Filter.allCases, hex("00 04 08 0c 10")) {
      #expect(Barometer.configure(.init(filter: filter)).command.bytes == [0x12, 3, 0x2c, byte])
    }
    for (code, byte) in zip(UInt8(0)..., hex("00 20 40 60 80 a0 c0 e0")) {
      #expect(Barometer.configure(.init(standbyCode: code)).command.bytes == [0x12, 3, 0x2c, byte])
    }
    #expect(
      Barometer.Chip.bmp280.standbyMilliseconds == [0.5, 62.5, 125, 250, 500, 1000, 2000, 4000])
    #expect(Barometer.Chip.bme280.standbyMilliseconds == [0.5, 62.5, 125, 250, 500, 1000, 10, 20])
  }

  @Test
  func `the light sensor's gains, integration times and rates are encoded as in the reference`()
    throws
  {
    // §11
    let gains: [(AmbientLight.Gain, UInt8)] = [
      (.times1, 0x00), (.times2, 0x04), (.times4, 0x08), (.times8, 0x0c), (.times48, 0x18),
      (.times96, 0x1c),
    ]
    for (gain, byte) in gains {
      let setting = try #require(AmbientLight.configure(gain))
      // 100 ms every 500 ms.
      #expect(setting.command.bytes == [0x14, 2, byte, 0x03])
    }
    let times = zip([100, 50, 200, 400, 150, 250, 300, 350], hex("03 0b 13 1b 23 2b 33 3b"))
    for (milliseconds, byte) in times {
      let setting = AmbientLight.configure(integrationMilliseconds: milliseconds)
      #expect(setting?.command.bytes == [0x14, 2, 0, byte])
    }
    for (milliseconds, byte) in zip([50, 100, 200, 500, 1000, 2000], UInt8(0)...) {
      let setting = AmbientLight.configure(rateMilliseconds: milliseconds)
      #expect(setting?.command.bytes == [0x14, 2, 0, byte])
    }
    #expect(AmbientLight.configure(integrationMilliseconds: 60) == nil)
    #expect(AmbientLight.configure(rateMilliseconds: 60) == nil)
  }

  @Test func `colour, proximity and humidity settings are encoded as in the reference`() {
    // §11: 256 − ms ÷ 2.4, and 256 − ms ÷ 2.72
    #expect(ColourSensor.integrationSteps(milliseconds: 4.8) == 2)
    #expect(ColourSensor.integrationSteps(milliseconds: 0) == 1)
    #expect(ColourSensor.integrationSteps(milliseconds: .infinity) == 1)
    #expect(ColourSensor.integrationSteps(milliseconds: 10_000) == 256)
    for (gain, code) in zip(ColourSensor.Gain.allCases, UInt8(0)...) {
      let setting = ColourSensor.configure(integrationSteps: 256, gain, isLit: false)
      #expect(setting.command.bytes == [0x17, 2, 0, code, 0])
    }
    #expect(ColourSensor.Gain.allCases.map(\.factor) == [1, 4, 16, 60])
    #expect(Proximity.integrationSteps(milliseconds: 2.72) == 1)
    #expect(Proximity.integrationSteps(milliseconds: 5.44) == 2)
    let proximity: [(Proximity.Diode, Proximity.Current, UInt8)] = [
      (.channel0, .milliamperes100, 0x10), (.channel1, .milliamperes50, 0x60),
      (.both, .milliamperes25, 0xb0), (.both, .milliamperes12half, 0xf0),
    ]
    for (diode, current, byte) in proximity {
      let setting = Proximity.configure(integrationSteps: 1, pulses: 1, diode, current)
      #expect(setting.command.bytes == [0x18, 2, 0xff, 1, byte])
    }
    #expect(Proximity.Current.allCases.map(\.milliamperes) == [100, 50, 25, 12.5])
    #expect(Humidity.Oversampling.allCases.map(\.factor) == [1, 2, 4, 8, 16])
    #expect(
      Humidity.Oversampling.allCases.map { Humidity.oversampling($0).command.bytes[2] }
        == Array(1...5))
  }

  @Test
  func `fusion ranges are encoded in one byte, and a mode configures only the sensors it uses`()
    throws
  {
    // §15: acc_range + ((gyro_range + 1) << 4)
    for (acceleration, low) in zip(SensorFusion.AccelerationRange.allCases, UInt8(0)...) {
      for (rotation, high) in zip(SensorFusion.RotationRange.allCases, UInt8(1)...) {
        let setting = SensorFusion.configure(
          .init(mode: .ndof, acceleration: acceleration, rotation: rotation))
        #expect(setting.command.bytes == [0x19, 2, 1, low | high << 4])
      }
    }
    #expect(SensorFusion.AccelerationRange.allCases.map(\.limit) == [2, 4, 8, 16])
    #expect(SensorFusion.RotationRange.allCases.map(\.limit) == [2000, 1000, 500, 250])

    func configured(_ mode: SensorFusion.Mode, _ chip: Accelerometer.Chip) throws -> [[UInt8]] {
      try SensorFusion.configure(
        .init(mode: mode), on: Accelerometer(chip: chip, revision: 2), magnetometerRevision: 1
      ).map(\.bytes)
    }
    // IMU-plus mode does not use the magnetometer. The compass and M4G modes do not use the
    // gyroscope.
    #expect(
      try configured(.imuPlus, .bmi270) == ["19 02 02 10", "03 03 a8 00", "13 03 28 00"].map(hex))
    #expect(
      try configured(.compass, .bmi270)
        == ["19 02 03 10", "03 03 a6 00", "15 04 04 0e", "15 03 06"].map(hex))
    #expect(
      try configured(.m4g, .bmi160)
        == ["19 02 04 10", "03 03 27 03", "15 04 04 0e", "15 03 06"].map(hex))
    #expect(try configured(.sleep, .bmi160) == ["19 02 00 10"].map(hex))
  }

  @Test
  func `a tick lasts 48 periods of the board's crystal, and differences are correct across a wrap`()
  {
    #expect(Logging.tickSeconds == 0.00146484375)
    #expect(Logging.milliseconds(from: 0, to: 1) == 1.46484375)
    #expect(Logging.milliseconds(from: .max, to: 0) == 1.46484375)
    #expect(Logging.milliseconds(from: 1, to: 0) == -1.46484375)
  }

  @Test func `the scales that do not depend on a range match the protocol reference`() {
    #expect(Magnetometer.countsPerMicrotesla == 16)
    #expect(Barometer.countsPerPascal == 256)
    #expect(Barometer.countsPerMetre == 256)
    #expect(Temperature.countsPerDegree == 8)
    #expect(Humidity.countsPerPercent == 1024)
    #expect(SensorFusion.standardGravity == 9.80665)
    #expect(AccelerometerEvent.degrees(dieTemperature: -512) == 22)
  }
}
