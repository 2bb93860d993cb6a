import MetaWearProtocol
import TestSupport
import Testing

/// The sensors of a board with certain modules, their valid combinations, and the errors for
/// invalid requests.
@Suite(.computation) struct SensorCatalogueTests {
  static let fusionSignals = [
    "corrected_acceleration", "corrected_acceleration_imu", "corrected_angular_velocity",
    "corrected_angular_velocity_imu", "corrected_magnetic_field", "quaternion", "quaternion_imu",
    "euler_angles", "euler_angles_imu", "gravity", "linear_acceleration",
    "linear_acceleration_imu",
  ]
  static let motion = ["acceleration", "angular_velocity"]
  static let air = ["pressure", "altitude"]
  static let temperatures = [
    "temperature_processor", "temperature", "temperature_external", "temperature_barometer",
  ]

  static let models: [(Model, [String])] = [
    (.metaWearR, ["acceleration", "temperature_processor", "temperature_external"]),
    (.metaWearRG, motion + temperatures + ["steps"]),
    (.metaWearRPro, motion + air + ["illuminance"] + temperatures + ["steps"]),
    (.metaWearC, motion + temperatures + ["steps"]),
    (
      .metaWearCPro,
      motion + ["magnetic_field"] + air + ["illuminance"] + temperatures + ["steps"]
    ),
    (.metaDetector, ["acceleration", "illuminance"] + temperatures + ["proximity"]),
    (.metaEnvironment, ["acceleration"] + air + temperatures + ["humidity", "colour"]),
    (.metaTracker, motion + air + ["illuminance"] + temperatures + ["humidity", "steps"]),
    (
      .metaMotionR,
      motion + ["magnetic_field"] + air + ["illuminance"] + temperatures + ["steps"] + fusionSignals
    ),
    (.metaMotionRL, motion + ["magnetic_field"] + temperatures + ["steps"] + fusionSignals),
    (
      .metaMotionC,
      motion + ["magnetic_field"] + air + ["illuminance"] + temperatures + ["steps"] + fusionSignals
    ),
    (
      .metaMotionS,
      motion + ["magnetic_field"] + air + ["illuminance"] + temperatures + ["steps"] + fusionSignals
    ),
  ]

  @Test(arguments: models)
  func `a model offers its chips' sensors`(_ model: Model, _ signals: [String]) throws {
    let modules = try #require(ModuleTable.preset(for: model))
    #expect(modules.sensors.map(\.signal) == signals)
  }

  // MARK: Contradictory modules

  /// Returns the fusion signals that a board offers after a change to its modules.
  func fusing(_ change: (inout ModuleTable) -> Void) -> [String] {
    var modules = SensorTests.fusing(1)
    change(&modules)
    return modules.sensors.filter { $0.chipName == "sensor fusion" }.map(\.signal)
  }

  @Test
  func `sensor fusion is offered only in modes, and at rates, that the board's sensors support`() {
    #expect(fusing { _ in } == Self.fusionSignals)
    // The MMA8452Q lacks ±16 g, the BMA255 lacks 100 Hz, and an unknown chip may lack any setting.
    for implementation in [0, 3, 2, 9] as [UInt8] {
      let info = ModuleInfo(implementation: implementation, revision: 2)
      #expect(fusing { $0[.accelerometer] = info } == [])
    }
    #expect(fusing { $0[.accelerometer] = nil } == [])
    #expect(fusing { $0[.sensorFusion] = nil } == [])
    let inertial = Self.fusionSignals.filter { $0.hasSuffix("_imu") }
    #expect(fusing { $0[.magnetometer] = nil } == inertial)
    let magnetic = [
      "corrected_acceleration", "corrected_magnetic_field", "quaternion", "euler_angles",
      "gravity",
    ]
    #expect(fusing { $0[.gyroscope] = nil } == magnetic)
    #expect(
      fusing { $0[.gyroscope] = ModuleInfo(implementation: 7, revision: 0) } == magnetic)
    var modules = SensorTests.fusing(1)
    modules[.gyroscope] = nil
    #expect(modules.sensors.first { $0.signal == "quaternion" }?.rates == [25, 50])
  }

  @Test func `the sensors of an unknown chip are not offered`() {
    for module in [ModuleID.accelerometer, .gyroscope, .barometer] {
      #expect(SensorTests.table(module, 5, 0).sensors.isEmpty)
    }
    #expect(ModuleTable().sensors.isEmpty)
  }

  @Test
  func `a known thermometer keeps its channel number and a distinct name beside unknown ones`()
    throws
  {
    let sensors = SensorTests.table(.temperature, 1, 0, [9, 1, 3, 1]).sensors
    #expect(
      sensors.map(\.signal) == ["temperature_external", "temperature", "temperature_external3"])
    #expect(
      try sensors.map { try $0.setup(rate: 1, range: nil).poll?.bytes }
        == ["04 81 01", "04 81 02", "04 81 03"].map(hex))
  }

  @Test func `only pins that can measure a voltage are offered`() {
    #expect(
      SensorTests.table(.gpio, 0, 2, [1, 2, 4, 7]).sensors.map(\.signal)
        == ["voltage_pin1", "voltage_pin3"])
  }

  @Test func `each sensor of a board with random modules has a unique name and can be set up`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var modules = ModuleTable()
      for module in ModuleID.allCases where Bool.random(using: &generator) {
        let extra = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
          UInt8.random(in: 0...5, using: &generator)
        }
        modules[module] = ModuleInfo(
          implementation: .random(in: 0...5, using: &generator),
          revision: .random(in: 0...4, using: &generator), extra: extra)
      }
      let sensors = modules.sensors
      #expect(Set(sensors.map(\.signal)).count == sensors.count, "seed \(seed)")
      for sensor in sensors {
        let rate = try #require(sensor.rates.randomElement(using: &generator))
        let setup = try? sensor.setup(
          rate: rate, range: sensor.ranges.randomElement(using: &generator))
        #expect(setup?.rate == rate, "\(sensor.signal), seed \(seed)")
      }
    }
  }

  // MARK: Combinations

  struct Pair: CustomTestStringConvertible, Sendable {
    var first: (String, Double)
    var second: (String, Double)
    var isPossible: Bool

    init(_ first: (String, Double), _ second: (String, Double), _ isPossible: Bool) {
      self.first = first
      self.second = second
      self.isPossible = isPossible
    }

    var testDescription: String { "\(first) and \(second)" }
  }

  static let pairs = [
    Pair(("acceleration", 100), ("angular_velocity", 200), true),
    Pair(("acceleration", 100), ("magnetic_field", 10), true),
    // Fusion sets up only the sensors that it uses.
    Pair(("acceleration", 100), ("quaternion", 100), false),
    Pair(("angular_velocity", 100), ("quaternion", 100), false),
    Pair(("magnetic_field", 25), ("quaternion", 100), false),
    Pair(("angular_velocity", 100), ("quaternion", 50), true),
    Pair(("magnetic_field", 25), ("quaternion_imu", 100), true),
    Pair(("pressure", 1), ("quaternion", 100), true),
    // One mode at a time, with any outputs of that mode.
    Pair(("quaternion", 100), ("linear_acceleration", 100), true),
    Pair(("quaternion", 50), ("gravity", 50), true),
    Pair(("quaternion", 100), ("gravity", 50), false),
    Pair(("quaternion", 50), ("gravity", 25), false),
    Pair(("quaternion", 100), ("quaternion_imu", 100), false),
    Pair(("quaternion_imu", 100), ("linear_acceleration_imu", 100), true),
    Pair(("pressure", 1), ("altitude", 1), true),
    Pair(("pressure", 1), ("altitude", 2), false),
    Pair(("temperature", 1), ("temperature_processor", 10), true),
    Pair(("temperature_barometer", 1), ("pressure", 1), true),
  ]

  @Test(arguments: pairs)
  func `two streams run together unless one changes the settings of a sensor that the other needs`(
    _ pair: Pair
  ) throws {
    let sensors = try #require(ModuleTable.preset(for: .metaMotionS)).sensors
    let setups = try [pair.first, pair.second].map { signal, rate in
      try #require(sensors.first { $0.signal == signal }).setup(rate: rate, range: nil)
    }
    #expect(setups[0].isCompatible(with: setups[1]) == pair.isPossible)
    #expect(setups[1].isCompatible(with: setups[0]) == pair.isPossible)
  }

  @Test func `a sensor cannot be set to two ranges at the same time`() throws {
    let sensor = try #require(SensorTests.table(.accelerometer, 4, 0).sensors.first)
    let narrow = try sensor.setup(rate: 100, range: 2)
    #expect(try !narrow.isCompatible(with: sensor.setup(rate: 100, range: 4)))
    #expect(try narrow.isCompatible(with: sensor.setup(rate: 100, range: 2)))
  }

  @Test
  func `a stream's largest value is within 0.2 % of its range, but above it on the MMA8452Q`()
    throws
  {
    for (model, _) in PresetTests.models {
      for sensor in try #require(ModuleTable.preset(for: model)).motionSensors {
        for range in sensor.ranges {
          let configuration = try sensor.configuration(
            rate: sensor.rates[0].hertz, range: range.limit)
          let largest = Double(Int16.max) / configuration.range.countsPerUnit
          // The MMA8452Q has 12 bits, and its counts have the same size in every range.
          #expect(
            sensor.chipName == "MMA8452Q"
              ? largest > range.limit : abs(largest / range.limit - 1) < 0.002,
            "\(sensor.chipName) ±\(range.limit)")
        }
      }
    }
  }

  // MARK: Refusals

  struct Refusal: CustomTestStringConvertible, Sendable {
    var modules: ModuleTable
    var signal: String
    var rate: Double
    var range: Double?
    var text: String

    var testDescription: String { "\(signal) at \(rate) Hz, \(range.map { "\($0)" } ?? "-")" }
  }

  static let refusals = [
    Refusal(
      modules: SensorTests.table(.accelerometer, 1, 2), signal: "acceleration", rate: 125,
      text: """
        cannot measure acceleration at 125 Hz: the BMI160 has no such rate
               choose one of 0.78125, 1.5625, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600 Hz
        """),
    Refusal(
      modules: SensorTests.table(.accelerometer, 3, 1), signal: "acceleration", rate: 100,
      text: """
        cannot measure acceleration at 100 Hz: the BMA255 has no such rate
               choose one of 15.62, 31.26, 62.5, 125, 250, 500, 1000, 2000 Hz
        """),
    Refusal(
      modules: SensorTests.table(.accelerometer, 0, 1), signal: "acceleration", rate: 25,
      text: """
        cannot measure acceleration at 25 Hz: the MMA8452Q has no such rate
               choose one of 1.56, 6.25, 12.5, 50, 100, 200, 400, 800 Hz
        """),
    Refusal(
      modules: SensorTests.table(.accelerometer, 0, 1), signal: "acceleration", rate: 50,
      range: 16,
      text: """
        cannot measure acceleration up to 16 g: the MMA8452Q has no such range
               choose one of 2, 4, 8 g
        """),
    Refusal(
      modules: SensorTests.table(.gyroscope, 0, 1), signal: "angular_velocity", rate: 12.5,
      text: """
        cannot measure angular_velocity at 12.5 Hz: the BMI160 has no such rate
               choose one of 25, 50, 100, 200, 400, 800, 1600, 3200 Hz
        """),
    Refusal(
      modules: SensorTests.table(.magnetometer, 0, 2), signal: "magnetic_field", rate: 50,
      text: """
        cannot measure magnetic_field at 50 Hz: the BMM150 has no such rate
               choose one of 2, 6, 8, 10, 15, 20, 25, 30 Hz
        """),
    Refusal(
      modules: SensorTests.table(.magnetometer, 0, 2), signal: "magnetic_field", rate: 25,
      range: 1_300,
      text: """
        cannot measure magnetic_field up to 1300 µT: the BMM150 has no such range
               leave it out: the value is fixed
        """),
    Refusal(
      modules: SensorTests.table(.barometer, 0, 0), signal: "pressure", rate: 100,
      text: """
        cannot measure pressure at 100 Hz: the BMP280 has no such rate
               choose one of 0.24928, 0.49714, 0.98863, 1.95503, 3.82409, 7.32601, 13.51351, 83.33333 Hz
        """),
    Refusal(
      modules: SensorTests.table(.barometer, 1, 0), signal: "altitude", rate: 0.25,
      text: """
        cannot measure altitude at 0.25 Hz: the BME280 has no such rate
               choose one of 0.98619, 1.94553, 3.78788, 7.19424, 13.0719, 29.41176, 41.66667, 68.96552 Hz
        """),
    Refusal(
      modules: SensorTests.table(.barometer, 0, 0), signal: "altitude", rate: 1, range: 1_000,
      text: """
        cannot measure altitude up to 1000 m: the BMP280 has no such range
               leave it out: the value is fixed
        """),
    Refusal(
      modules: SensorTests.table(.ambientLight, 0, 0), signal: "illuminance", rate: 4,
      text: """
        cannot measure illuminance at 4 Hz: the LTR329 has no such rate
               choose one of 0.5, 1, 2, 5, 10, 20 Hz
        """),
    Refusal(
      modules: SensorTests.table(.ambientLight, 0, 0), signal: "illuminance", rate: 10,
      range: 1_000,
      text: """
        cannot measure illuminance up to 1000 lx: the LTR329 has no such range
               choose one of 600, 1300, 8000, 16000, 32000, 64000 lx
        """),
    Refusal(
      modules: SensorTests.thermometers, signal: "temperature", rate: 100,
      text: """
        cannot measure temperature at 100 Hz: the thermistor has no such rate
               choose one of 0.1, 0.2, 0.5, 1, 2, 5, 10 Hz
        """),
    Refusal(
      modules: SensorTests.fusing(1), signal: "quaternion", rate: 200,
      text: """
        cannot measure quaternion at 200 Hz: the sensor fusion has no such rate
               choose one of 25, 50, 100 Hz
        """),
    Refusal(
      modules: SensorTests.fusing(1), signal: "quaternion_imu", rate: 50,
      text: """
        cannot measure quaternion_imu at 50 Hz: the sensor fusion has no such rate
               choose 100 Hz
        """),
    Refusal(
      modules: SensorTests.fusing(4), signal: "gravity", rate: 25, range: 8,
      text: """
        cannot measure gravity up to 8 m/s²: the sensor fusion has no such range
               leave it out: the value is fixed
        """),
    Refusal(
      modules: SensorTests.fusing(4), signal: "euler_angles", rate: .nan,
      text: """
        cannot measure euler_angles at nan Hz: the sensor fusion has no such rate
               choose one of 25, 50, 100 Hz
        """),
  ]

  @Test(arguments: refusals)
  func `a setting that a chip does not support is rejected, and the error says what to choose`(
    _ item: Refusal
  )
    throws
  {
    let sensor = try #require(item.modules.sensors.first { $0.signal == item.signal })
    let error = #expect(throws: SettingError.self) {
      try sensor.setup(rate: item.rate, range: item.range)
    }
    #expect(error?.description == item.text)
  }

  @Test
  func `a requested rate matches within 0.5 percent, or 5 percent on chips with uneven rates`()
    throws
  {
    func rate(_ modules: ModuleTable, _ wanted: Double) throws -> Double? {
      try? #require(modules.sensors.first).setup(rate: wanted, range: nil).rate
    }
    let accelerometer = SensorTests.table(.accelerometer, 4, 0)
    #expect(try rate(accelerometer, 100.5) == 100)
    #expect(try rate(accelerometer, 99.5) == 100)
    #expect(try rate(accelerometer, 100.6) == nil)
    #expect(try rate(accelerometer, 99.4) == nil)
    #expect(try rate(accelerometer, 0.78) == 0.78125)
    #expect(try rate(accelerometer, 1.56) == 1.5625)
    #expect(try rate(SensorTests.table(.accelerometer, 3, 0), 31.25) == 31.26)
    let barometer = SensorTests.table(.barometer, 0, 0)
    #expect(try rate(barometer, 1) == 1_000 / 1_011.5)
    #expect(try rate(barometer, 4) == 1_000 / 261.5)
    #expect(try rate(barometer, 80) == 1_000 / 12.0)
    #expect(try rate(barometer, 8) == nil)
    for wrong in [0, -100, .infinity, .nan] { #expect(try rate(accelerometer, wrong) == nil) }
  }

  // MARK: Stopping

  struct Board: CustomTestStringConvertible, Sendable {
    var name: String
    var modules: ModuleTable
    var halt: [String]
    var registers: String

    var testDescription: String { name }
  }

  static func board(
    _ name: String, _ modules: ModuleTable?, halt: [String], registers: String
  ) -> Board {
    Board(name: name, modules: modules ?? ModuleTable(), halt: halt, registers: registers)
  }

  static let boards = [
    board(
      "MetaMotion S", .preset(for: .metaMotionS),
      // Fusion stops before its sensors.
      halt: [
        "19 01 00", "19 03 00 7f", "03 01 00", "03 02 00 01", "13 01 00", "13 02 00 01",
        "15 01 00", "15 02 00 01", "12 04 00 00", "14 01 00",
      ],
      registers: "03 04 03 05 13 04 13 05 15 05 15 09 12 01 12 02 14 03"
        + " 19 04 19 05 19 06 19 07 19 08 19 09 19 0a"),
    board(
      "MetaMotion RL", .preset(for: .metaMotionRL),
      halt: [
        "19 01 00", "19 03 00 7f", "03 01 00", "03 02 00 01", "13 01 00", "13 02 00 01",
        "15 01 00", "15 02 00 01",
      ],
      registers: "03 04 03 1c 13 05 13 07 15 05 15 09"
        + " 19 04 19 05 19 06 19 07 19 08 19 09 19 0a"),
    board(
      "MetaWear R", .preset(for: .metaWearR), halt: ["03 01 00", "03 02 00"],
      registers: "03 04 03 12"),
    board(
      "MetaEnvironment", .preset(for: .metaEnvironment),
      halt: ["03 01 00", "03 02 00 01", "12 04 00 00"], registers: "03 04 03 1c 12 01 12 02"),
    board(
      "old magnetometer", SensorTests.table(.magnetometer, 0, 0),
      halt: ["15 01 00", "15 02 00 01"], registers: "15 05"),
    board("nothing", ModuleTable(), halt: [], registers: ""),
  ]

  @Test(arguments: boards)
  func `a board's halt commands and sample registers cover every module that may send samples`(
    _ board: Board
  ) {
    #expect(board.modules.halt.map(\.bytes) == board.halt.map(hex))
    #expect(
      board.modules.sampleRegisters.flatMap { [$0.moduleCode, $0.registerByte] }
        == hex(board.registers))
  }
}
