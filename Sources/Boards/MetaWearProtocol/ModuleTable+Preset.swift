extension ModuleTable {
  /// Returns a model's modules, for callers that know the product but have not queried the board.
  /// Returns `nil` for a model whose modules are not documented.
  ///
  /// The chips are those in the vendor's test fixtures. If `Model.hasKnownRevisions` is true, the
  /// revisions are those of firmware 1.7. Otherwise, they are assumed to be the same as on the
  /// MetaMotion RL. For the MetaMotion R and C, the description of the logging module comes from a
  /// board with firmware 1.5.
  public static func preset(for model: Model) -> ModuleTable? {
    switch model {
    case .metaMotionS:
      common([
        .accelerometer: ModuleInfo(implementation: 4, revision: 0),
        .gyroscope: ModuleInfo(implementation: 1, revision: 0),
        .magnetometer: bmm150, .sensorFusion: fusion, .barometer: bmp280, .ambientLight: plain,
      ])
    case .metaMotionRL:
      common([
        .accelerometer: bmi160Acceleration, .gyroscope: bmi160Rotation, .magnetometer: bmm150,
        .sensorFusion: fusion,
      ])
    case .metaMotionR, .metaMotionC:
      common([
        .accelerometer: bmi160Acceleration, .gyroscope: bmi160Rotation, .magnetometer: bmm150,
        .sensorFusion: fusion, .barometer: bmp280, .ambientLight: plain,
        .logging: ModuleInfo(implementation: 0, revision: 2),
      ])
    case .metaWearCPro:
      common([
        .accelerometer: bmi160Acceleration, .gyroscope: bmi160Rotation, .magnetometer: bmm150,
        .barometer: bmp280, .ambientLight: plain,
      ])
    case .metaWearRPro:
      common([
        .accelerometer: bmi160Acceleration, .gyroscope: bmi160Rotation, .barometer: bmp280,
        .ambientLight: plain,
      ])
    case .metaWearRG, .metaWearC:
      common([.accelerometer: bmi160Acceleration, .gyroscope: bmi160Rotation])
    case .metaWearR:
      common([
        .accelerometer: ModuleInfo(implementation: 0, revision: 1),
        .temperature: ModuleInfo(implementation: 1, revision: 0, extra: [0, 1]),
      ])
    case .metaDetector:
      common([.accelerometer: bma255, .ambientLight: plain, .proximity: plain])
    case .metaEnvironment:
      common([.accelerometer: bma255, .barometer: bme280, .humidity: plain, .colour: plain])
    case .metaTracker:
      common([
        .accelerometer: bmi160Acceleration, .gyroscope: bmi160Rotation, .barometer: bme280,
        .humidity: plain, .ambientLight: plain,
      ])
    case .metaHealth, .unknown: nil
    }
  }

  private static let plain = ModuleInfo(implementation: 0, revision: 0)
  private static let bmi160Acceleration = ModuleInfo(implementation: 1, revision: 2)
  private static let bmi160Rotation = ModuleInfo(implementation: 0, revision: 1)
  private static let bma255 = ModuleInfo(implementation: 3, revision: 2)
  private static let bmm150 = ModuleInfo(implementation: 0, revision: 2)
  private static let bmp280 = ModuleInfo(implementation: 0, revision: 0)
  private static let bme280 = ModuleInfo(implementation: 1, revision: 0)
  private static let fusion = ModuleInfo(implementation: 0, revision: 3)

  /// Returns a table with the modules shared by all models, plus a model's own modules.
  private static func common(_ own: [ModuleID: ModuleInfo]) -> ModuleTable {
    let common: [ModuleID: ModuleInfo] = [
      .switch: plain,
      .led: ModuleInfo(implementation: 0, revision: 1, extra: [3, 0]),
      .temperature: ModuleInfo(implementation: 1, revision: 0, extra: [0, 3, 1, 2]),
      .gpio: ModuleInfo(implementation: 0, revision: 2),
      .iBeacon: plain,
      .haptic: plain,
      .dataProcessor: ModuleInfo(implementation: 0, revision: 3, extra: [28]),
      .event: ModuleInfo(implementation: 0, revision: 0, extra: [28]),
      .logging: ModuleInfo(implementation: 0, revision: 3),
      .timer: ModuleInfo(implementation: 0, revision: 0, extra: [8]),
      .serialBus: ModuleInfo(implementation: 0, revision: 1),
      .macro: ModuleInfo(implementation: 0, revision: 2, extra: [8]),
      .settings: ModuleInfo(implementation: 0, revision: 10),
      .debug: ModuleInfo(implementation: 0, revision: 6),
    ]
    return ModuleTable(common.merging(own) { _, own in own })
  }
}

extension Model {
  /// Whether `ModuleTable.preset` contains the revisions that the model's firmware reports.
  public var hasKnownRevisions: Bool { self == .metaMotionS || self == .metaMotionRL }
}
