public import BoardDriver
public import MetaWearProtocol
internal import Terminal

/// The signals to record from each board, as typed.
public struct SensorChoice: Hashable, Sendable {
  /// The requested sensors; empty for those of gait research.
  public var requests: [SensorRequest] = []
  /// The packet layout of all signals; `nil` to leave it to the gateway.
  public var layout: StreamLayout.Kind?

  /// An empty choice.
  public init() {}

  /// The options, for a command that does `verb` to signals.
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

  /// The signals of all models, those of the newest first.
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

  /// The nearest signal to a name that no model has; `nil` where none is near, as for the signal of
  /// a module that someone added to a board.
  static func signal(meantBy name: String) -> String? {
    signals.contains(name) ? nil : Suggestion.nearest(to: name, among: signals)
  }

  /// The requests, or the usual ones if there are none.
  func requests(default usual: [SensorRequest]) -> [SensorRequest] {
    (requests.isEmpty ? usual : requests).map { request in
      var request = request
      request.layout = layout
      return request
    }
  }
}
