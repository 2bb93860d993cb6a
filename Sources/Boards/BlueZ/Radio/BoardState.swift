/// The state of linking one board, or of ending its link.
///
/// `seeking` → `connecting` → `resolving` → (`rereading` →) `up`; a failure leads to `pausing` and
/// back to `seeking`. A device whose attributes stay incomplete passes through `dropping` and
/// `removing`, so that the daemon forgets its cached attributes, and is sought again.
struct BoardState: Sendable {
  enum Phase: Hashable {
    /// Not wanted; its state is kept.
    case idle
    /// Waiting to be heard, or for its turn.
    case seeking
    case pausing(until: Double)
    /// The link was requested from the daemon with this operation at `since`. If the attempt is
    /// called off, `since` is the time of the cancellation.
    case connecting(Int, since: Double, isCalledOff: Bool)
    /// The link is up, or about to be; its attributes are not known yet.
    case resolving(since: Double, wasLinked: Bool)
    /// The attributes are incomplete; a listing of all objects may complete them.
    case rereading(Int?, at: Double)
    /// The link is being ended by this operation, which is `nil` once answered; then the next step
    /// follows.
    case dropping(Int?, since: Double, Next)
    case removing(Int)
    case up(since: Double)
  }

  enum Next: Hashable {
    case seek
    /// The attempt failed, and is counted as a failure.
    case fail
    case remove
  }

  var phase = Phase.seeking
  /// The device object in use; `nil` while seeking.
  var device: String?
  /// Whether the link existed before we requested it.
  var isFound = false
  var isWanted = true
  /// Time of its release; `nil` while it is wanted.
  var releasedAt: Double?
  var patience: Radio.Patience?
  /// Start of the current search, for callers with limited patience.
  var seekingSince: Double
  /// Failed attempts since a link was stable.
  var failures = 0
  /// The daemon's message on the last failure.
  var lastReason = ""
  /// End of the pause imposed because its links keep ending as soon as they are made.
  var restUntil: Double?
  /// Time at which bluetoothd was last made to forget its attributes.
  var removedAt: Double?
  /// Its last link and the time it ended: the board can be connected at once, without a scan.
  var lastLink: (device: String, ended: Double)?
  /// Advertisements up to this time do not count: the device must be heard again afterwards.
  var deafUntil = -1.0
  /// Consecutive calls that the daemon did not answer.
  var unanswered = 0
  var isStreaming = false
  /// Whether the lack of room for it was reported.
  var isToldOfRoom = false

  var isSeeking: Bool { isWanted && phase == .seeking }

  /// Whether the board keeps its adapter from everything else for now.
  var isLinking: Bool {
    switch phase {
    case .connecting, .resolving, .rereading, .dropping, .removing: true
    case .idle, .seeking, .pausing, .up: false
    }
  }

  var isUp: Bool { if case .up = phase { true } else { false } }
}

/// Pauses after failed attempts: three short ones, since most failures are chance, then ever longer
/// ones, without end.
enum RetryPause {
  private static let quick = 0.25
  private static let slow: [Double] = [1, 2, 5, 10, 30, 60]
  private static let quickOnes = 3

  /// Seconds to wait after this number of links that ended as soon as they were made; `nil` for the
  /// first ones.
  static func afterBriefLink(_ failures: Int, spread: Double) -> Double? {
    failures > quickOnes ? seconds(after: failures, spread: spread) : nil
  }

  /// Seconds; `spread` from −1 to 1 moves boards that failed together apart.
  static func seconds(after failures: Int, spread: Double) -> Double {
    guard failures > quickOnes else { return quick }
    return slow[min(failures - quickOnes, slow.count) - 1] * (1 + 0.2 * spread)
  }
}
