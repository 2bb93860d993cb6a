internal import BoardDriver
internal import MetaWearProtocol
internal import Recording

/// The battery capacity of each model and the current that its components draw, as stated by the
/// manufacturer.
///
/// All figures are from MbientLab's API specification ("Sensor Power Consumption"); we measured
/// none of them. The specification does not state the connection interval or the sensor rates for
/// which the currents are valid.
enum BoardPower {
  /// The current in mA that a board draws for a streaming link.
  static let link = 7.5

  /// The expected range of battery life, as a fraction of the computed time. A new battery at room
  /// temperature lasts for the full time; an old or cold battery may last for only 0.7 of it.
  static let spread = 0.7...1.0

  /// Returns the capacity of a new battery in mAh; `nil` if the manufacturer does not state it.
  static func capacity(of model: Model) -> Double? {
    switch model {
    case .metaMotionS, .metaMotionRL, .metaMotionR, .metaWearR, .metaWearRG, .metaWearRPro: 100
    case .metaMotionC, .metaWearC, .metaWearCPro, .metaEnvironment, .metaDetector: 230
    case .metaTracker: 600
    case .metaHealth, .unknown: nil
    }
  }

  /// Returns the current in mA that a board draws while streaming these signals.
  static func current(of streams: [StreamForecast], on modules: ModuleTable) -> Double {
    let parts = streams.reduce(into: Set<Part>()) { $0.formUnion(Part.parts(of: $1)) }
    return link + parts.map { $0.current(on: modules) }.reduce(0, +)
  }

  /// Returns the capacity of a board's own memory, in entries of 4 bytes; `nil` if unknown.
  static func memory(of model: Model) -> Double? {
    switch model {
    case .metaMotionS: 67_108_864
    case .metaMotionRL, .metaMotionR, .metaMotionC: 1_048_576
    case .metaTracker: 262_144
    // Older boards have too little memory for useful recordings.
    default: nil
    }
  }

  /// Returns the number of memory entries that one second of a stream needs.
  static func entries(of stream: StreamForecast) -> Double {
    let values = stream.description.axes.count
    let isFloat = stream.description.rawForm == .float
    return stream.description.rate * Double(isFloat ? values : (values + 1) / 2)
  }

  /// A board component with its own current draw in the manufacturer's specification.
  private enum Part: Hashable {
    case accelerometer
    case gyroscope
    case magnetometer
    case thermometer
    case barometer
    case light
    case hygrometer
    case colour
    case fusion

    /// Returns the components that a stream needs.
    static func parts(of stream: StreamForecast) -> Set<Part> {
      switch stream.owner {
      case .accelerometer: return [.accelerometer]
      case .gyroscope: return [.gyroscope]
      case .magnetometer: return [.magnetometer]
      case .temperature: return [.thermometer]
      case .barometer: return [.barometer]
      case .ambientLight: return [.light]
      case .humidity: return [.hygrometer]
      case .colour, .proximity: return [.colour]
      case .sensorFusion:
        // Below 100 Hz, sensor fusion does not use the gyroscope; the '_imu' modes do not use the
        // magnetometer.
        if stream.description.rate < 100 { return [.fusion, .accelerometer, .magnetometer] }
        return stream.description.signal.hasSuffix("_imu")
          ? [.fusion, .accelerometer, .gyroscope]
          : [.fusion, .accelerometer, .gyroscope, .magnetometer]
      default: return []
      }
    }

    func current(on modules: ModuleTable) -> Double {
      switch self {
      case .accelerometer:
        switch modules.accelerometer?.chip {
        case .bmi270: 0.21
        case .bma255: 0.13
        // The manufacturer's list omits the MMA8452Q, the accelerometer of the earliest boards.
        case .bmi160, .mma8452q, nil: 0.18
        }
      case .gyroscope: modules.gyroscope?.chip == .bmi270 ? 0.5 : 0.9
      case .magnetometer: 0.5
      case .thermometer: 0.01
      case .barometer: modules.barometer == .bme280 ? 0.0028 : 0.0034
      case .light: 0.22
      case .hygrometer: 0.0018
      case .colour: 0.065
      case .fusion: 0.925
      }
    }
  }
}
