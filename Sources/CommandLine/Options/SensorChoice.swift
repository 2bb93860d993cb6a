public import BoardDriver
public import MetaWearProtocol
internal import Terminal

/// What to record of each board, as asked for on the command line.
public struct SensorChoice: Hashable, Sendable {
  /// The sensors asked for; none for those of gait research.
  public var requests: [SensorRequest] = []
  /// How all of them are to be sent; `nil` leaves it to the gateway.
  public var layout: StreamLayout.Kind?

  /// Nothing asked for.
  public init() {}

  /// Its options, for a command that does `verb` to signals.
  static func options(to verb: String) -> [Option<SensorChoice>] {
    [
      .option(
        "sensor", .sensor,
        help: "\(verb) this signal; may be repeated "
          + "(default: acceleration@100:8 and angular_velocity@100:2000)", adds: \.requests),
      .option(
        "layout", .word("LAYOUT"),
        help: "how the board packs samples into packets: "
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

  /// The signal nearest to a name that no model has; `nil` where none is near, as for the signal of
  /// a module that somebody added to a board.
  static func signal(meantBy name: String) -> String? {
    signals.contains(name) ? nil : Suggestion.nearest(to: name, among: signals)
  }

  /// The requests, or those that are made without any.
  func requests(default usual: [SensorRequest]) -> [SensorRequest] {
    (requests.isEmpty ? usual : requests).map { request in
      var request = request
      request.layout = layout
      return request
    }
  }
}
