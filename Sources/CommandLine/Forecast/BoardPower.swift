internal import BoardDriver
internal import MetaWearProtocol
internal import Recording

/// The battery of a model and the currents of its parts, as its maker states them.
///
/// MbientLab's API specification ("Sensor Power Consumption") is the source of all figures. None
/// was measured by us. It says neither at which connection interval a link takes its current nor at
/// which rates the sensors take theirs.
enum BoardPower {
  /// The current of a link that streams, in mA.
  static let link = 7.5

  /// The part of the computed time that a board may really last. 1 is a new battery at room
  /// temperature; an old or a cold one has lost up to three tenths.
  static let spread = 0.7...1.0

  /// The charge of a new battery in mAh; `nil` if the maker does not state it.
  static func capacity(of model: Model) -> Double? {
    switch model {
    case .metaMotionS, .metaMotionRL, .metaMotionR, .metaWearR, .metaWearRG, .metaWearRPro: 100
    case .metaMotionC, .metaWearC, .metaWearCPro, .metaEnvironment, .metaDetector: 230
    case .metaTracker: 600
    case .metaHealth, .unknown: nil
    }
  }

  /// The current in mA of a board that streams these signals.
  static func current(of streams: [StreamForecast], on modules: ModuleTable) -> Double {
    let parts = streams.reduce(into: Set<Part>()) { $0.formUnion(Part.parts(of: $1)) }
    return link + parts.map { $0.current(on: modules) }.reduce(0, +)
  }

  /// The entries of 4 bytes that a board's own memory holds.
  static func memory(of model: Model) -> Double? {
    switch model {
    case .metaMotionS: 67_108_864
    case .metaMotionRL, .metaMotionR, .metaMotionC: 1_048_576
    case .metaTracker: 262_144
    // Older boards hold too little to be worth recording into.
    default: nil
    }
  }

  /// The entries that a second of a stream takes in that memory.
  static func entries(of stream: StreamForecast) -> Double {
    let values = stream.description.axes.count
    let isFloat = stream.description.rawForm == .float
    return stream.description.rate * Double(isFloat ? values : (values + 1) / 2)
  }

  /// A part of a board with a current of its own.
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

    /// The parts that work for a stream.
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
        // Below 100 Hz the fusion works without the gyroscope; '_imu' is without the magnetometer.
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
        // Not in the maker's list: the MMA8452Q, which is on boards of its first years.
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
