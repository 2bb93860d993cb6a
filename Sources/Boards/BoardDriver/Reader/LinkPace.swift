internal import MetaWearProtocol
public import Values

/// The connection intervals that the program requests for links.
///
/// An adapter serves its boards one after another. Each connection event takes time even if the
/// board has no data, so the more boards there are, the fewer events each board gets. The raw value
/// is in milliseconds.
public enum LinkPace: String, Hashable, Sendable, CaseIterable {
  /// One connection event every 7.5 ms, the shortest interval that Bluetooth allows.
  case fast = "7.5"
  /// One connection event every 15 ms.
  case shared = "15"
  /// One connection event every 30 ms. A board can still send all its samples.
  case crowded = "30"

  /// Maximum number of boards that an adapter can serve every 7.5 ms. If there are more, some
  /// connection events are skipped.
  public static let mostFastBoards = 3

  /// Returns the pace for each board when `boards` boards are streaming through one adapter.
  public static func streaming(boards: Int) -> LinkPace {
    switch boards {
    case ...1: .fast
    case 2...3: .shared
    default: .crowded
    }
  }

  /// The pace for downloading a board's log while no other board on the same adapter is streaming.
  public static let download = LinkPace.fast

  /// Milliseconds between connection events.
  public var milliseconds: Double {
    switch self {
    case .fast: 7.5
    case .shared: 15
    case .crowded: 30
    }
  }

  /// Connection parameters to request for this pace: exactly this interval, no skipped connection
  /// events, and a supervision timeout of 6 s.
  public var parameters: ConnectionParameters {
    ConnectionParameters(
      minimumMilliseconds: milliseconds, maximumMilliseconds: milliseconds, latency: 0,
      timeoutMilliseconds: 6_000)
  }

  /// Parameters for a board that reports only when its wearer starts walking. Its four connection
  /// events per second use little battery power.
  public static let watching = ConnectionParameters(
    minimumMilliseconds: 250, maximumMilliseconds: 250, latency: 0, timeoutMilliseconds: 6_000)

  /// Returns a warning if `boards` boards are too many for this pace, or `nil` if there is no
  /// problem.
  public func warning(boards: Int) -> String? {
    guard self == .fast, boards > Self.mostFastBoards else { return nil }
    return "\(boards) boards share an adapter that supports only "
      + "\(Self.mostFastBoards) at 7.5 ms: expect losses, or use 30 ms"
  }
}
