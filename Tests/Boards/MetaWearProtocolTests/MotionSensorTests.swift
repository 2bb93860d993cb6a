import MetaWearProtocol
import TestSupport
import Testing

/// A chip's setting and the command that it produces.
struct SettingCase: CustomTestStringConvertible, Sendable {
  var sensor: any MotionSensor
  var rate: Double
  var range: Double
  var bytes: String
  var countsPerUnit: Double

  init(
    _ sensor: any MotionSensor, _ rate: Double, _ range: Double, _ bytes: String,
    _ countsPerUnit: Double
  ) {
    self.sensor = sensor
    self.rate = rate
    self.range = range
    self.bytes = bytes
    self.countsPerUnit = countsPerUnit
  }

  var testDescription: String { "\(sensor.chipName) \(sensor.signal) \(rate) Hz ±\(range)" }
}

@Suite(.computation) struct MotionSensorTests {
  static let mma8452q = Accelerometer(chip: .mma8452q, revision: 1)
  static let bmi160 = Accelerometer(chip: .bmi160, revision: 2)
  static let bma255 = Accelerometer(chip: .bma255, revision: 1)
  static let bmi270 = Accelerometer(chip: .bmi270, revision: 0)
  static let gyro160 = Gyroscope(chip: .bmi160, revision: 1)
  static let gyro270 = Gyroscope(chip: .bmi270, revision: 0)
  static let sensors: [any MotionSensor] = [mma8452q, bmi160, bma255, bmi270, gyro160, gyro270]

  static let settings = [
    SettingCase(mma8452q, 100, 2, "03 03 00 00 18 00 00", 1000),
    SettingCase(mma8452q, 800, 8, "03 03 02 00 00 00 00", 1000),
    SettingCase(mma8452q, 1.56, 4, "03 03 01 00 38 00 00", 1000),
    SettingCase(bmi160, 0.78125, 2, "03 03 81 03", 16384),
    SettingCase(bmi160, 6.25, 4, "03 03 84 05", 8192),
    SettingCase(bmi160, 12.5, 8, "03 03 25 08", 4096),
    SettingCase(bmi160, 100, 16, "03 03 28 0c", 2048),
    SettingCase(bmi160, 1600, 2, "03 03 2c 03", 16384),
    SettingCase(bma255, 15.62, 2, "03 03 08 03", 16384),
    SettingCase(bma255, 125, 16, "03 03 0b 0c", 2048),
    SettingCase(bma255, 2000, 8, "03 03 0f 08", 4096),
    SettingCase(bmi270, 0.78125, 2, "03 03 21 00", 16384),
    SettingCase(bmi270, 6.25, 4, "03 03 24 01", 8192),
    SettingCase(bmi270, 12.5, 8, "03 03 a5 02", 4096),
    SettingCase(bmi270, 100, 16, "03 03 a8 03", 2048),
    SettingCase(bmi270, 1600, 8, "03 03 ac 02", 4096),
    SettingCase(gyro160, 25, 2000, "13 03 26 00", 16.4),
    SettingCase(gyro160, 100, 500, "13 03 28 02", 65.6),
    SettingCase(gyro270, 200, 250, "13 03 29 03", 131.2),
    SettingCase(gyro270, 800, 1000, "13 03 2b 01", 32.8),
    SettingCase(gyro270, 3200, 125, "13 03 2d 04", 262.4),
  ]

  @Test(arguments: settings)
  func `rates and ranges have the chip's own codes and scale`(_ item: SettingCase)
    throws
  {
    let configuration = try item.sensor.configuration(rate: item.rate, range: item.range)
    #expect(item.sensor.configure(configuration).bytes == hex(item.bytes))
    #expect(configuration.range.countsPerUnit == item.countsPerUnit)
  }

  @Test func `every rate and range of every chip is decoded from the chip's own encoding`() throws {
    for sensor in Self.sensors {
      for rate in sensor.rates {
        for range in sensor.ranges {
          let configuration = try sensor.configuration(rate: rate.hertz, range: range.limit)
          #expect(configuration == SensorConfiguration(rate: rate, range: range))
          var reply = sensor.configure(configuration).bytes
          reply[1] |= 0x80
          #expect(try sensor.configuration(decoding: reply.span) == configuration)
          for length in reply.indices {
            #expect(throws: DecodeError.self, "\(length) bytes") {
              try sensor.configuration(decoding: Array(reply.prefix(length)).span)
            }
          }
        }
      }
    }
  }

  @Test func `a requested rate may differ slightly from the rate in the data sheet`() throws {
    #expect(try Self.bmi270.configuration(rate: 0.78, range: 2).rate.hertz == 0.78125)
    #expect(try Self.bma255.configuration(rate: 31.25, range: 2).rate.hertz == 31.26)
  }

  @Test func `a rate that the chip does not support is rejected with a list of the chip's rates`() {
    let error = #expect(throws: SettingError.self) {
      try Self.bmi270.configuration(rate: 125, range: 8)
    }
    #expect(
      error?.description == """
        cannot measure acceleration at 125 Hz: the BMI270 has no such rate
               choose one of 0.78125, 1.5625, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600 Hz
        """)
  }

  @Test
  func `a range that the chip does not support is rejected with a list of the chip's ranges`() {
    let error = #expect(throws: SettingError.self) {
      try Self.gyro270.configuration(rate: 100, range: 300)
    }
    #expect(
      error?.description == """
        cannot measure angular_velocity up to 300 deg/s: the BMI270 has no such range
               choose one of 125, 250, 500, 1000, 2000 deg/s
        """)
  }

  @Test func `a sensor is started and stopped by its chip's commands`() throws {
    let fast = try Self.bmi270.configuration(rate: 100, range: 8)
    #expect(Self.bmi270.powerOn(fast).bytes == hex("03 01 01"))
    #expect(Self.bmi270.powerOff.bytes == hex("03 01 00"))
    #expect(Self.bmi270.enableDataReady.bytes == hex("03 02 01 00"))
    #expect(Self.bmi270.disableDataReady.bytes == hex("03 02 00 01"))
    #expect(Self.bmi270.readConfiguration.bytes == hex("03 83"))
    #expect(Self.mma8452q.enableDataReady.bytes == hex("03 02 01"))
    #expect(Self.mma8452q.disableDataReady.bytes == hex("03 02 00"))
    let turning = try Self.gyro160.configuration(rate: 100, range: 500)
    #expect(Self.gyro160.powerOn(turning).bytes == hex("13 01 01"))
    #expect(Self.gyro160.powerOff.bytes == hex("13 01 00"))
    #expect(Self.gyro160.enableDataReady.bytes == hex("13 02 01 00"))
    #expect(Self.gyro160.disableDataReady.bytes == hex("13 02 00 01"))
  }

  @Test func `at slow rates, the BMI270 runs in low-power mode, but the BMI160 does not`() throws {
    let slow = try Self.bmi270.configuration(rate: 6.25, range: 2)
    #expect(Self.bmi270.powerOn(slow).bytes == hex("03 01 02"))
    let other = try Self.bmi160.configuration(rate: 6.25, range: 2)
    #expect(Self.bmi160.powerOn(other).bytes == hex("03 01 01"))
  }

  @Test
  func `each chip has its own sample registers, and old BMI160 modules cannot pack samples`() {
    #expect(Self.sensors.map(\.sampleRegister) == [4, 4, 4, 4, 5, 4])
    #expect(Self.sensors.map(\.packedRegister) == [0x12, 0x1c, 0x1c, 0x05, 0x07, 0x05])
    #expect(Accelerometer(chip: .bmi160, revision: 0).packedRegister == nil)
    #expect(Gyroscope(chip: .bmi160, revision: 0).packedRegister == nil)
    #expect(Accelerometer(chip: .bmi270, revision: 0).packedRegister == 0x05)
  }

  @Test func `a configuration with an unknown code, or from a different module, is rejected`() {
    #expect(throws: DecodeError.unknownCode(0x7f, at: 2)) {
      try Self.bmi270.configuration(decoding: hex("03 83 7f 00").span)
    }
    #expect(throws: DecodeError.unknownCode(0x09, at: 3)) {
      try Self.bmi270.configuration(decoding: hex("03 83 a8 09").span)
    }
    #expect(throws: DecodeError.otherPacket) {
      try Self.bmi270.configuration(decoding: hex("13 83 28 00").span)
    }
  }
}
