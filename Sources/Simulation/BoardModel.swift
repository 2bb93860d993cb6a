public import MetaWearProtocol

/// What a simulated board is: the modules it answers for and what its device information says.
public struct BoardModel: Hashable, Sendable, CustomStringConvertible {
  /// The vendor's name of the product.
  public let name: String
  /// Model number of the device information service.
  public let modelNumber: String
  /// The modules, as firmware 1.7.2 describes them.
  public let modules: ModuleTable

  /// Firmware revision.
  public let firmwareRevision = "1.7.2"
  /// Hardware revision.
  public let hardwareRevision = "0.1"
  /// Manufacturer.
  public let manufacturer = "MbientLab Inc"
  /// Name in the advertising data.
  public let advertisedName = GATT.defaultName

  /// MetaMotion S: BMI270, barometer and light sensor, 512 MB of log.
  public static let metaMotionS = BoardModel(
    name: "MetaMotion S", modelNumber: "8",
    modules: table([
      .accelerometer: ModuleInfo(implementation: 4, revision: 0),
      .gyroscope: ModuleInfo(implementation: 1, revision: 0),
      .gpio: ModuleInfo(implementation: 0, revision: 2, extra: [3, 3, 3, 3, 3, 1]),
      .logging: logging(entries: 67_108_864),
      .settings: ModuleInfo(implementation: 0, revision: 10, extra: [7, 0]),
      .barometer: ModuleInfo(implementation: 0, revision: 0),
      .ambientLight: ModuleInfo(implementation: 0, revision: 0),
    ]))

  /// MetaMotion RL: BMI160, neither barometer nor light sensor, 8 MB of log.
  public static let metaMotionRL = BoardModel(
    name: "MetaMotion RL", modelNumber: "5",
    modules: table([
      .accelerometer: ModuleInfo(implementation: 1, revision: 2),
      .gyroscope: ModuleInfo(implementation: 0, revision: 1),
      .gpio: ModuleInfo(implementation: 0, revision: 2, extra: [3, 3, 3, 3, 1]),
      .logging: logging(entries: 1_048_576),
      .settings: ModuleInfo(implementation: 0, revision: 10, extra: [3, 0]),
    ]))

  private init(name: String, modelNumber: String, modules: ModuleTable) {
    self.name = name
    self.modelNumber = modelNumber
    self.modules = modules
  }

  /// The modules both models have alike, and those given.
  private static func table(_ own: [ModuleID: ModuleInfo]) -> ModuleTable {
    let common: [ModuleID: ModuleInfo] = [
      .switch: ModuleInfo(implementation: 0, revision: 0),
      .led: ModuleInfo(implementation: 0, revision: 1, extra: [3, 0]),
      .temperature: ModuleInfo(implementation: 1, revision: 0, extra: [0, 3, 1, 2]),
      .iBeacon: ModuleInfo(implementation: 0, revision: 0),
      .haptic: ModuleInfo(implementation: 0, revision: 0),
      .dataProcessor: ModuleInfo(implementation: 0, revision: 3, extra: [28]),
      .event: ModuleInfo(implementation: 0, revision: 0, extra: [28]),
      .timer: ModuleInfo(implementation: 0, revision: 0, extra: [8]),
      .serialBus: ModuleInfo(implementation: 0, revision: 1),
      .macro: ModuleInfo(implementation: 0, revision: 2, extra: [8]),
      .magnetometer: ModuleInfo(implementation: 0, revision: 2),
      .sensorFusion: ModuleInfo(
        implementation: 0, revision: 3, extra: [3, 0, 6, 0, 2, 0, 1, 0]),
      .debug: ModuleInfo(implementation: 0, revision: 6),
    ]
    return ModuleTable(common.merging(own) { _, own in own })
  }

  /// Its name.
  public var description: String { name }

  /// Eight triggers, the capacity, and pages of 512 bytes.
  private static func logging(entries: UInt32) -> ModuleInfo {
    ModuleInfo(implementation: 0, revision: 3, extra: [8] + entries.littleEndianBytes + [0, 2])
  }
}
