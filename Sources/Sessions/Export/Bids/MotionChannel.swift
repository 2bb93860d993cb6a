internal import Recording

/// A column of a motion file, as its row in the table of channels describes it.
struct MotionChannel {
  /// The channel types, in the order in which a description lists their counts.
  enum Kind: String, CaseIterable {
    case acceleration = "ACCEL"
    case angularAcceleration = "ANGACCEL"
    case angularVelocity = "GYRO"
    case jointAngle = "JNTANG"
    case latency = "LATENCY"
    case magneticField = "MAGN"
    case other = "MISC"
    case orientation = "ORNT"
    case position = "POS"
    case velocity = "VEL"
  }

  enum Frame: String, CaseIterable {
    case board
    case earth
    case wgs84

    /// The description in the file that explains the channels.
    var words: String {
      switch self {
      case .board: "Axes of the sensor board. Its orientation on the body was not measured."
      case .earth:
        "Orientation of the board relative to gravity and, if the board used its magnetometer, "
          + "to magnetic north, as computed by the board."
      case .wgs84: "Geographic coordinates (WGS 84)."
      }
    }
  }

  var name: String
  var kind: Kind
  /// The spatial axis or the component of a quaternion; `nil` if there is none.
  var component: String?
  var unit: String
  var frame: Frame?
  /// Samples per second as configured; `nil` if the channel is not a measurement.
  var rate: Double?
  /// Largest magnitude that the sensor can measure; `nil` if unknown.
  var range: Double?
  var description: String
  var decimals = 6
  /// Whether the value has the precision of a 32-bit floating-point number, and is written exactly.
  var isFloat = false

  /// Returns a column for the times of a signal's samples; for the times of the rows if `signal` is
  /// `nil`.
  static func latency(of signal: String?) -> MotionChannel {
    MotionChannel(
      name: signal.map { "latency_\($0)" } ?? "latency", kind: .latency, unit: "s",
      description: signal.map { "time of the sample of \($0) since the first row" }
        ?? "time of the row since the first row: that of its earliest sample")
  }

  /// Returns the channels of a stream, one for each axis. `name` is the signal, or a variant of it
  /// that is unique in the file.
  static func channels(of stream: StreamDescription, named name: String) -> [MotionChannel] {
    let unnamed = StreamDescription.unnamedAxes(1)
    return stream.axes.map { axis in
      let (kind, component, frame) = meaning(of: stream.signal, axis: axis)
      return MotionChannel(
        name: stream.axes == unnamed ? name : "\(name)_\(axis)", kind: kind, component: component,
        unit: unit(stream.unit),
        frame: frame, rate: stream.rate, range: stream.range,
        description: (stream.axes == unnamed ? stream.signal : "\(stream.signal), \(axis)")
          + (stream.unit == "g" ? "; the unit is standard gravity, 9.80665 m/s^2" : ""),
        isFloat: stream.rawForm == .float)
    }
  }

  private static func meaning(
    of signal: String, axis: String
  ) -> (Kind, component: String?, Frame?) {
    let spatial = ["x", "y", "z"].contains(axis) ? axis : nil
    switch signal {
    case "acceleration", "corrected_acceleration", "linear_acceleration", "gravity":
      return (spatial == nil ? .other : .acceleration, spatial, .board)
    case "angular_velocity", "corrected_angular_velocity":
      return (spatial == nil ? .other : .angularVelocity, spatial, .board)
    case "magnetic_field", "corrected_magnetic_field":
      return (spatial == nil ? .other : .magneticField, spatial, .board)
    case "quaternion":
      return ["w", "x", "y", "z"].contains(axis)
        ? (.orientation, "quat_\(axis)", .earth) : (.other, nil, .earth)
    case "euler_angles":
      // The board's angles: pitch about x, roll about y, yaw about z. The heading repeats the yaw
      // as a compass would show it.
      let component = ["pitch": "x", "roll": "y", "yaw": "z"][axis]
      return (component == nil ? .other : .orientation, component, .earth)
    default: return (.other, nil, nil)
    }
  }

  /// Returns a unit as BIDS spells it.
  private static func unit(_ unit: String) -> String {
    switch unit {
    case "", "1": TabTable.unknown
    case "°": "deg"
    case "°C": "oC"
    case "m/s²": "m/s^2"
    case "µT": "uT"
    default: TabTable.field(unit)
    }
  }
}
