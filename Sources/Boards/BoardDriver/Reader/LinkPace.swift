internal import MetaWearProtocol
public import Values

/// The connection interval of a link.
///
/// An adapter serves its boards one after another. Each connection event takes its time whether the
/// board has data or not: the more boards, the fewer events for each. The raw value is in
/// milliseconds.
public enum LinkPace: String, Hashable, Sendable, CaseIterable {
  /// Every 7.5 ms, the shortest interval allowed.
  case fast = "7.5"
  /// Every 15 ms.
  case shared = "15"
  /// Every 30 ms, at which a board can still send more than it measures.
  case crowded = "30"

  /// Boards that an adapter can serve every 7.5 ms; with one more, some connection events are
  /// skipped.
  public static let mostFastBoards = 3

  /// The pace for each board when `boards` of them stream through one adapter.
  public static func streaming(boards: Int) -> LinkPace {
    switch boards {
    case ...1: .fast
    case 2...3: .shared
    default: .crowded
    }
  }

  /// The pace for a board whose log is downloaded, while no other board of the adapter streams.
  public static let download = LinkPace.fast

  /// Milliseconds between connection events.
  public var milliseconds: Double {
    switch self {
    case .fast: 7.5
    case .shared: 15
    case .crowded: 30
    }
  }

  /// Parameters to request for a link: this interval exactly, no connection event skipped, and a
  /// timeout of 6 s.
  public var parameters: ConnectionParameters {
    ConnectionParameters(
      minimumMilliseconds: milliseconds, maximumMilliseconds: milliseconds, latency: 0,
      timeoutMilliseconds: 6_000)
  }

  /// Parameters for a link on which a board only reports that its wearer starts walking: four
  /// connection events a second, which cost little of its battery.
  public static let watching = ConnectionParameters(
    minimumMilliseconds: 250, maximumMilliseconds: 250, latency: 0, timeoutMilliseconds: 6_000)

  /// A warning for a user who gives this pace to `boards` boards; `nil` when there is none.
  public func warning(boards: Int) -> String? {
    guard self == .fast, boards > Self.mostFastBoards else { return nil }
    return "\(boards) boards share an adapter at 7.5 ms, which carries \(Self.mostFastBoards): "
      + "expect losses, or use 30 ms"
  }
}
