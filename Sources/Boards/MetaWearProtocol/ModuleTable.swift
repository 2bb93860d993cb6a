/// A module's description of itself, which identifies its chip or driver and its register set.
public struct ModuleInfo: Hashable, Sendable {
  /// Identifies the chip or driver.
  public let implementation: UInt8
  /// Identifies the set of available registers.
  public let revision: UInt8
  /// Bytes whose meaning depends on the module, such as the list of temperature channels.
  public let extra: [UInt8]

  public init(implementation: UInt8, revision: UInt8, extra: [UInt8] = []) {
    self.implementation = implementation
    self.revision = revision
    self.extra = extra
  }
}

/// A board's modules, with the description that each module reports. The modules change only when
/// the board's firmware changes.
public struct ModuleTable: Hashable, Sendable {
  private var present: [ModuleID: ModuleInfo]

  public init(_ present: [ModuleID: ModuleInfo] = [:]) {
    self.present = present
  }

  /// A module's description of itself, or `nil` if the board does not have the module or the module
  /// has not been queried.
  public subscript(module: ModuleID) -> ModuleInfo? {
    get { present[module] }
    set { present[module] = newValue }
  }

  /// Whether the board has a module with at least this revision.
  public func has(_ module: ModuleID, revision: UInt8 = 0) -> Bool {
    (present[module]?.revision).map { $0 >= revision } ?? false
  }

  /// Sorted by module number.
  public var modules: [ModuleID] {
    present.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// The accelerometer, or `nil` if the board has none or its chip is unknown.
  public var accelerometer: Accelerometer? {
    self[.accelerometer].flatMap(Accelerometer.init)
  }

  /// The gyroscope, or `nil` if the board has none or its chip is unknown.
  public var gyroscope: Gyroscope? {
    self[.gyroscope].flatMap(Gyroscope.init)
  }

  /// The barometer's chip, or `nil` if the board has no barometer or the chip is unknown.
  public var barometer: Barometer.Chip? {
    self[.barometer].flatMap { Barometer.Chip(rawValue: $0.implementation) }
  }

  /// The manufacturers' names for the chips, by module. Includes modules that always have the same
  /// chip.
  public var chips: [ModuleID: String] {
    var chips: [ModuleID: String] = [:]
    chips[.accelerometer] = accelerometer?.chipName
    chips[.gyroscope] = gyroscope?.chipName
    chips[.barometer] = barometer.map { $0 == .bmp280 ? "BMP280" : "BME280" }
    let single: [(ModuleID, String)] = [
      (.magnetometer, "BMM150"), (.ambientLight, "LTR329"), (.humidity, "BME280"),
      (.colour, "TCS34725"), (.proximity, "TSL2671"),
    ]
    for (module, chip) in single where has(module) { chips[module] = chip }
    return chips
  }

  /// The board's motion sensors that can stream. The accelerometer comes first.
  public var motionSensors: [any MotionSensor] {
    var sensors: [any MotionSensor] = []
    if let accelerometer { sensors.append(accelerometer) }
    if let gyroscope { sensors.append(gyroscope) }
    return sensors
  }
}
