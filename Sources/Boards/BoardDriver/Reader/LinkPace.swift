internal import MetaWearProtocol
public import Values

/// How often a board and its adapter meet.
///
/// An adapter serves its boards one after the other, and each meeting takes its time whether the
/// board has something to send or not: the more boards, the less often each. The raw value is in
/// milliseconds.
public enum LinkPace: String, Hashable, Sendable, CaseIterable {
  /// Every 7.5 ms, the shortest there is.
  case fast = "7.5"
  /// Every 15 ms.
  case shared = "15"
  /// Every 30 ms, in which a board can still send more than it measures.
  case crowded = "30"

  /// Boards that an adapter can serve every 7.5 ms; one more, and some of their meetings are left
  /// out.
  public static let mostFastBoards = 3

  /// The pace for each of so many boards that stream through one adapter.
  public static func streaming(boards: Int) -> LinkPace {
    switch boards {
    case ...1: .fast
    case 2...3: .shared
    default: .crowded
    }
  }

  /// The pace for a board whose log is downloaded, while no other board of the adapter streams.
  public static let download = LinkPace.fast

  /// Milliseconds from meeting to meeting.
  public var milliseconds: Double {
    switch self {
    case .fast: 7.5
    case .shared: 15
    case .crowded: 30
    }
  }

  /// What a link is to be asked for: this interval and no other, no meeting slept through, and lost
  /// only after 6 s of silence.
  public var parameters: ConnectionParameters {
    ConnectionParameters(
      minimumMilliseconds: milliseconds, maximumMilliseconds: milliseconds, latency: 0,
      timeoutMilliseconds: 6_000)
  }

  /// What a person should know who lets so many boards have this pace; `nil` when there is nothing.
  public func warning(boards: Int) -> String? {
    guard self == .fast, boards > Self.mostFastBoards else { return nil }
    return "\(boards) boards share an adapter at 7.5 ms, which carries \(Self.mostFastBoards): "
      + "expect losses, or use 30 ms"
  }
}
