import MetaWearProtocol
import TestSupport
import Testing

@Suite(.computation) struct PresetTests {
  static let models: [(Model, number: String)] = [
    (.metaWearR, "0"), (.metaWearRG, "1"), (.metaWearRPro, "1"), (.metaWearC, "2"),
    (.metaWearCPro, "2"), (.metaDetector, "2"), (.metaEnvironment, "2"), (.metaTracker, "4"),
    (.metaMotionR, "5"), (.metaMotionRL, "5"), (.metaMotionC, "6"), (.metaMotionS, "8"),
  ]

  @Test func `a model is identified by its modules and its model number`() throws {
    for (model, number) in Self.models {
      let modules = try #require(ModuleTable.preset(for: model))
      #expect(Model(number: number, modules: modules) == model)
    }
  }

  @Test func `five models have the chips of the real products`() throws {
    func chips(_ model: Model) throws -> [ModuleID: String] {
      try #require(ModuleTable.preset(for: model)).chips
    }
    #expect(try chips(.metaWearR) == [.accelerometer: "MMA8452Q"])
    #expect(
      try chips(.metaMotionRL) == [
        .accelerometer: "BMI160", .gyroscope: "BMI160", .magnetometer: "BMM150",
      ])
    #expect(
      try chips(.metaMotionS) == [
        .accelerometer: "BMI270", .gyroscope: "BMI270", .magnetometer: "BMM150",
        .barometer: "BMP280", .ambientLight: "LTR329",
      ])
    #expect(
      try chips(.metaEnvironment) == [
        .accelerometer: "BMA255", .barometer: "BME280", .humidity: "BME280", .colour: "TCS34725",
      ])
    #expect(
      try chips(.metaDetector) == [
        .accelerometer: "BMA255", .ambientLight: "LTR329", .proximity: "TSL2671",
      ])
  }

  @Test
  func `a model with unknown modules has no preset, and only two presets have known revisions`() {
    #expect(ModuleTable.preset(for: .metaHealth) == nil)
    #expect(ModuleTable.preset(for: .unknown("9")) == nil)
    #expect(
      Self.models.filter { $0.0.hasKnownRevisions }.map(\.0) == [.metaMotionRL, .metaMotionS])
  }
}
