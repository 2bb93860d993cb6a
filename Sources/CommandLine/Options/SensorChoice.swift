public import BoardDriver
public import MetaWearProtocol
internal import Terminal

/// The signals to record from each board, as typed by the user.
public struct SensorChoice: Hashable, Sendable {
  /// The requested sensors; empty for the default sensors, which are the ones used in gait
  /// research.
  public var requests: [SensorRequest] = []
  /// The packet layout for all signals; `nil` to let the gateway choose.
  public var layout: StreamLayout.Kind?

  public init() {}

  /// Returns the options for choosing signals. In the help, `verb` says what the command does with
  /// each signal.
  static func options(to verb: String) -> [Option<SensorChoice>] {
    [
      .option(
        "sensor", .sensor,
        help: "\(verb) this signal (repeatable; default: acceleration@100:8 and "
          + "angular_velocity@100:2000)", adds: \.requests),
      .option(
        "layout", .word("LAYOUT"),
        help: "packet layout of the samples: "
          + StreamLayout.Kind.allCases.map(\.rawValue)
          .joined(separator: ", ") + " (default: chosen for the signal and rate; rarely needed)",
        sets: \.layout),
    ]
  }

  /// All known models' signals, starting with the newest model's.
  static let signals: [String] = {
    var signals: [String] = []
    for board in KnownBoard.allCases {
      for sensor in ModuleTable.preset(for: board.model)?.sensors ?? []
      where !signals.contains(sensor.signal) {
        signals.append(sensor.signal)
      }
    }
    return signals
  }()

  /// Returns whether a board can have this signal. In addition to the known models' signals, boards
  /// can have numbered pin voltages and additional numbered thermometers.
  static func exists(_ name: String) -> Bool {
    if signals.contains(name) { return true }
    let series = name.prefix { !("0"..."9").contains($0) }
    guard let number = UInt8(name.dropFirst(series.count)), "\(series)\(number)" == name else {
      return false
    }
    return series == "voltage_pin"
      || series.hasPrefix("temperature") && signals.contains(String(series))
  }

  /// Returns the signal with the most similar name, or the signal whose sensor has the most similar
  /// name. Returns `nil` if no name is similar.
  static func signal(meantBy name: String) -> String? {
    let sensors = [
      "accelerometer": "acceleration", "gyroscope": "angular_velocity",
      "magnetometer": "magnetic_field", "barometer": "pressure", "hygrometer": "humidity",
      "thermometer": "temperature", "light": "illuminance",
    ]
    return Suggestion.nearest(to: name, among: signals)
      ?? Suggestion.nearest(to: name, among: sensors.keys.sorted()).flatMap { sensors[$0] }
  }

  /// Returns the requested sensors, or the default sensors if none were requested.
  func requests(default usual: [SensorRequest]) -> [SensorRequest] {
    (requests.isEmpty ? usual : requests).map { request in
      var request = request
      request.layout = layout
      return request
    }
  }
}
