import MetaWearProtocol
import TestSupport
import Testing

/// A model number, the modules that distinguish the models with this number, and the resulting
/// model.
struct ModelCase: CustomTestStringConvertible, Sendable {
  var number: String
  var modules: [ModuleID: ModuleInfo]
  var model: Model

  var testDescription: String { "\(model)" }
}

@Suite(.computation) struct ModelTests {
  static func info(_ implementation: UInt8 = 0) -> ModuleInfo {
    ModuleInfo(implementation: implementation, revision: 0)
  }

  static let cases = [
    ModelCase(number: "0", modules: [:], model: .metaWearR),
    ModelCase(
      number: "1", modules: [.barometer: info(), .ambientLight: info()], model: .metaWearRPro),
    ModelCase(number: "1", modules: [.barometer: info()], model: .metaWearRG),
    ModelCase(number: "2", modules: [.magnetometer: info()], model: .metaWearCPro),
    ModelCase(
      number: "2", modules: [.accelerometer: info(3), .proximity: info()], model: .metaDetector),
    ModelCase(
      number: "2", modules: [.accelerometer: info(3), .humidity: info()], model: .metaEnvironment),
    ModelCase(number: "2", modules: [.accelerometer: info(1)], model: .metaWearC),
    ModelCase(number: "3", modules: [:], model: .metaHealth),
    ModelCase(number: "4", modules: [:], model: .metaTracker),
    ModelCase(number: "5", modules: [.ambientLight: info()], model: .metaMotionR),
    ModelCase(number: "5", modules: [.magnetometer: info()], model: .metaMotionRL),
    ModelCase(number: "6", modules: [:], model: .metaMotionC),
    ModelCase(number: "8", modules: [:], model: .metaMotionS),
    ModelCase(number: "9", modules: [:], model: .unknown("9")),
  ]

  @Test(arguments: cases)
  func `the model is derived from the model number and the modules`(_ item: ModelCase) {
    #expect(Model(number: item.number, modules: ModuleTable(item.modules)) == item.model)
  }

  @Test
  func `sensors are derived from implementation numbers, and an unknown number yields no sensor`() {
    let modules = ModuleTable([.accelerometer: Self.info(4), .gyroscope: Self.info(1)])
    #expect(modules.accelerometer?.chip == .bmi270)
    #expect(modules.gyroscope?.chip == .bmi270)
    #expect(modules.motionSensors.map(\.signal) == ["acceleration", "angular_velocity"])

    let odd = ModuleTable([.accelerometer: Self.info(2), .gyroscope: Self.info(9)])
    #expect(odd.accelerometer == nil)
    #expect(odd.gyroscope == nil)
    #expect(odd.motionSensors.isEmpty)
  }

  @Test func `a module is considered present if its revision is at least the requested one`() {
    let modules = ModuleTable([.settings: ModuleInfo(implementation: 0, revision: 5)])
    #expect(modules.has(.settings))
    #expect(modules.has(.settings, revision: 5))
    #expect(!modules.has(.settings, revision: 6))
    #expect(!modules.has(.logging))
  }
}
