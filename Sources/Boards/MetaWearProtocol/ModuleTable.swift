/// A module's own description: its driver and its set of registers.
public struct ModuleInfo: Hashable, Sendable {
  /// Selects the chip or driver.
  public let implementation: UInt8
  /// Selects the set of registers available.
  public let revision: UInt8
  /// Bytes whose meaning depends on the module, such as the list of temperature channels.
  public let extra: [UInt8]

  /// A module's answer.
  public init(implementation: UInt8, revision: UInt8, extra: [UInt8] = []) {
    self.implementation = implementation
    self.revision = revision
    self.extra = extra
  }
}

/// The modules of a board, by its own answers; only a change of firmware changes them.
public struct ModuleTable: Hashable, Sendable {
  private var present: [ModuleID: ModuleInfo]

  /// A table of these modules; all others are absent.
  public init(_ present: [ModuleID: ModuleInfo] = [:]) {
    self.present = present
  }

  /// A module's info; `nil` if the board does not have the module or was not asked.
  public subscript(module: ModuleID) -> ModuleInfo? {
    get { present[module] }
    set { present[module] = newValue }
  }

  /// Whether the board has a module at this revision or a later one.
  public func has(_ module: ModuleID, revision: UInt8 = 0) -> Bool {
    (present[module]?.revision).map { $0 >= revision } ?? false
  }

  /// The modules the board has, by number.
  public var modules: [ModuleID] {
    present.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// The accelerometer; `nil` if there is none or its chip is unknown.
  public var accelerometer: Accelerometer? {
    self[.accelerometer].flatMap(Accelerometer.init)
  }

  /// The gyroscope; `nil` if there is none or its chip is unknown.
  public var gyroscope: Gyroscope? {
    self[.gyroscope].flatMap(Gyroscope.init)
  }

  /// The barometer's chip; `nil` if there is none or it is unknown.
  public var barometer: Barometer.Chip? {
    self[.barometer].flatMap { Barometer.Chip(rawValue: $0.implementation) }
  }

  /// The makers' names of the chips, by module, both for modules with several possible chips and
  /// with one.
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

  /// The motion sensors of the board that can stream, accelerometer first.
  public var motionSensors: [any MotionSensor] {
    var sensors: [any MotionSensor] = []
    if let accelerometer { sensors.append(accelerometer) }
    if let gyroscope { sensors.append(gyroscope) }
    return sensors
  }
}
