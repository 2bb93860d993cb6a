import MetaWearProtocol

// The two models still sold have the modules of firmware 1.7. The other models have the chips and
// model numbers from the vendor's list. If the vendor's software still distinguishes between
// revisions of a module, the older models have the revision of their original firmware. They lack
// the features of later revisions.
extension BoardModel {
  /// MetaMotion S: BMI270, barometer and light sensor, 512 MB of log memory.
  public static let metaMotionS = BoardModel(
    "MetaMotion S", "S", modelNumber: "8", supplyMillivolts: 1_800,
    modules: current(
      .metaMotionS, pins: [3, 3, 3, 3, 3, 1], entries: 67_108_864, power: [7, 0]))

  /// MetaMotion RL: BMI160, no barometer, no light sensor, 8 MB of log memory.
  public static let metaMotionRL = BoardModel(
    "MetaMotion RL", "RL", modelNumber: "5",
    modules: current(
      .metaMotionRL, pins: [3, 3, 3, 3, 1], entries: 1_048_576, power: [3, 0]))

  /// MetaMotion C: the round board, with sensor fusion and firmware 1.5. It has no calibration data
  /// and cannot reset the orientation. Modules 01 to 0f are as reported by a MetaMotion R with that
  /// firmware.
  public static let metaMotionC = BoardModel(
    "MetaMotion C", "MMC", modelNumber: "6", firmware: "1.5.0",
    modules: older([
      .accelerometer: ModuleInfo(implementation: 1, revision: 2),
      .gyroscope: ModuleInfo(implementation: 0, revision: 1),
      .gpio: ModuleInfo(implementation: 0, revision: 2, extra: [3, 3, 3, 3, 1, 1, 1]),
      .neoPixel: ModuleInfo(implementation: 0, revision: 0),
      .iBeacon: ModuleInfo(implementation: 0, revision: 0),
      .dataProcessor: ModuleInfo(implementation: 0, revision: 3, extra: [28]),
      .logging: logging(revision: 2, entries: 1_048_576),
      .serialBus: ModuleInfo(implementation: 0, revision: 1),
      .macro: ModuleInfo(implementation: 0, revision: 2, extra: [8, 0]),
      .settings: ModuleInfo(implementation: 0, revision: 6, extra: [3]),
      .barometer: ModuleInfo(implementation: 0, revision: 0),
      .ambientLight: ModuleInfo(implementation: 0, revision: 0),
      .magnetometer: ModuleInfo(implementation: 0, revision: 1),
      .sensorFusion: ModuleInfo(
        implementation: 0, revision: 1, extra: [3, 0, 6, 0, 2, 0, 1, 0]),
      .debug: ModuleInfo(implementation: 0, revision: 2),
    ]))

  /// MetaWear C with firmware 1.3: only a BMI160, and data processors that cannot count packets.
  public static let metaWearC = BoardModel(
    "MetaWear C", "C", modelNumber: "2", firmware: "1.3.90", hardware: "0.2",
    modules: older([
      .accelerometer: ModuleInfo(implementation: 1, revision: 1),
      .gyroscope: ModuleInfo(implementation: 0, revision: 1),
      .gpio: ModuleInfo(implementation: 0, revision: 1, extra: [3, 3, 3, 3, 1, 1, 1, 1]),
      .neoPixel: ModuleInfo(implementation: 0, revision: 0),
      .iBeacon: ModuleInfo(implementation: 0, revision: 0),
      .dataProcessor: ModuleInfo(implementation: 0, revision: 1, extra: [28]),
      .logging: logging(revision: 2, entries: 11_136),
      .macro: ModuleInfo(implementation: 0, revision: 1, extra: [8]),
      .settings: ModuleInfo(implementation: 0, revision: 3),
    ]))

  /// MetaWear R with the oldest simulated firmware. It has an MMA8452Q, but its settings module has
  /// no link parameters, and it cannot run commands on a disconnect.
  public static let metaWearR = BoardModel(
    "MetaWear R", "R", modelNumber: "0", firmware: "1.2.3", hardware: "r0.2",
    modules: older([
      .accelerometer: ModuleInfo(implementation: 0, revision: 1),
      .led: ModuleInfo(implementation: 0, revision: 0),
      .temperature: ModuleInfo(implementation: 1, revision: 0, extra: [0, 1]),
      .gpio: ModuleInfo(implementation: 0, revision: 0, extra: [3, 3, 3, 3, 1, 1, 1, 1]),
      .logging: logging(revision: 2, entries: 12_672),
    ]))

  /// MetaEnvironment: BMA255, BME280 with humidity, and a colour sensor.
  public static let metaEnvironment = BoardModel(
    "MetaEnvironment", "ENV", modelNumber: "2", firmware: "1.2.5", hardware: "0.2",
    modules: older([
      .accelerometer: ModuleInfo(implementation: 3, revision: 1),
      .gpio: ModuleInfo(implementation: 0, revision: 1, extra: [3, 3, 3, 3, 1, 1, 1, 1]),
      .logging: logging(revision: 2, entries: 11_136),
      .macro: ModuleInfo(implementation: 0, revision: 1, extra: [8]),
      .settings: ModuleInfo(implementation: 0, revision: 3),
      .barometer: ModuleInfo(implementation: 1, revision: 0),
      .humidity: ModuleInfo(implementation: 0, revision: 0),
      .colour: ModuleInfo(implementation: 0, revision: 0),
    ]))

  /// Returns the modules of a model that is still sold, with the extra bytes that some of its
  /// module info responses contain.
  private static func current(
    _ model: Model, pins: [UInt8], entries: UInt32, power: [UInt8]
  ) -> ModuleTable {
    guard var modules = ModuleTable.preset(for: model) else {
      preconditionFailure("the modules of \(model) are known")
    }
    let extras: [ModuleID: [UInt8]] = [
      .gpio: pins, .logging: logging(revision: 3, entries: entries).extra, .settings: power,
      .sensorFusion: [3, 0, 6, 0, 2, 0, 1, 0],
    ]
    for (module, extra) in extras {
      modules[module] = modules[module].map {
        ModuleInfo(implementation: $0.implementation, revision: $0.revision, extra: extra)
      }
    }
    return modules
  }

  /// Returns the modules that the other models share. The modules in `own` replace the shared ones.
  private static func older(_ own: [ModuleID: ModuleInfo]) -> ModuleTable {
    let common: [ModuleID: ModuleInfo] = [
      .switch: ModuleInfo(implementation: 0, revision: 0),
      .led: ModuleInfo(implementation: 0, revision: 1, extra: [3, 0]),
      .temperature: ModuleInfo(implementation: 1, revision: 0, extra: [0, 3, 1, 2]),
      .haptic: ModuleInfo(implementation: 0, revision: 0),
      .dataProcessor: ModuleInfo(implementation: 0, revision: 0, extra: [28]),
      .event: ModuleInfo(implementation: 0, revision: 0, extra: [28]),
      .timer: ModuleInfo(implementation: 0, revision: 0, extra: [8]),
      .serialBus: ModuleInfo(implementation: 0, revision: 0),
      .macro: ModuleInfo(implementation: 0, revision: 0),
      .settings: ModuleInfo(implementation: 0, revision: 0),
      .debug: ModuleInfo(implementation: 0, revision: 0),
    ]
    return ModuleTable(common.merging(own) { _, own in own })
  }

  /// Returns the module info for logging: the number of triggers (eight) and the capacity; from
  /// revision 3, also the page size in bytes.
  private static func logging(revision: UInt8, entries: UInt32) -> ModuleInfo {
    ModuleInfo(
      implementation: 0, revision: revision,
      extra: [8] + entries.littleEndianBytes + (revision >= 3 ? [0, 2] : []))
  }
}
