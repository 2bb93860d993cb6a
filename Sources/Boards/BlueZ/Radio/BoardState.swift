/// The state of one board's link: not wanted, being established, in use, or being closed.
///
/// `seeking` → `connecting` → `resolving` → (`rereading` →) `up`. A failure leads to `pausing` and
/// back to `seeking`. A device whose attributes stay incomplete passes through `dropping` and
/// `removing`, which makes the daemon discard its cached attributes, and returns to `seeking`.
struct BoardState: Sendable {
  enum Phase: Hashable {
    /// No link is wanted. Data about earlier attempts is retained.
    case idle
    /// The radio is waiting for an advertisement from the board, or for the board's turn to be
    /// linked.
    case seeking
    case pausing(until: Double)
    /// This operation requested the link from the daemon at time `since`. If the attempt was
    /// cancelled, `since` is the time of the cancellation.
    case connecting(Int, since: Double, isCalledOff: Bool)
    /// The link is up, or about to be, but the device's attributes are not yet known.
    case resolving(since: Double, wasLinked: Bool)
    /// The device's attributes are incomplete. Listing all objects again may complete them.
    case rereading(Int?, at: Double)
    /// The operation with this number is closing the link. The number becomes `nil` when the daemon
    /// replies. The next step follows when the link is down.
    case dropping(Int?, since: Double, Next)
    case removing(Int)
    case up(since: Double)
  }

  enum Next: Hashable {
    case seek
    /// After the link is closed, count the attempt as failed.
    case fail
    case remove
  }

  var phase = Phase.seeking
  /// Path of the device object in use, or `nil` while seeking.
  var device: String?
  /// Whether the link already existed when the radio was about to request it.
  var isFound = false
  var isWanted = true
  /// Time when the board was released, or `nil` while a link is wanted.
  var releasedAt: Double?
  var patience: Radio.Patience?
  /// Time when the current search started, for callers with limited patience.
  var seekingSince: Double
  /// Number of failed attempts since the last stable link.
  var failures = 0
  var lastReason = ""
  /// Time when the pause before the next attempt ends. The radio pauses if the board's links keep
  /// dropping right after they are established.
  var restUntil: Double?
  /// Time when the radio last made bluetoothd discard the board's cached attributes.
  var removedAt: Double?
  /// Path of the device used for the board's last link, and the time when that link ended. Shortly
  /// after that time, the board can be connected without a scan.
  var lastLink: (device: String, ended: Double)?
  /// Advertisements received up to this time are ignored. A newer advertisement must arrive before
  /// the board can be connected.
  var deafUntil = -1.0
  /// Number of consecutive calls without a reply from the daemon.
  var unanswered = 0
  var isStreaming = false
  /// Whether the radio has already reported that every adapter is full and this board must wait.
  var isToldOfRoom = false

  var isSeeking: Bool { isWanted && phase == .seeking }

  /// Whether a link to the board is being established or closed. Meanwhile, the adapter cannot do
  /// anything else.
  var isLinking: Bool {
    switch phase {
    case .connecting, .resolving, .rereading, .dropping, .removing: true
    case .idle, .seeking, .pausing, .up: false
    }
  }

  var isUp: Bool { if case .up = phase { true } else { false } }
}

/// Calculates the pauses after failed attempts. The first three pauses are short, since most
/// failures are random. Later pauses get longer, up to a limit. Retries never stop.
enum RetryPause {
  private static let quick = 0.25
  private static let slow: [Double] = [1, 2, 5, 10, 30, 60]
  private static let quickOnes = 3

  /// Returns how many seconds to wait after this number of consecutive links have dropped
  /// immediately. Returns `nil` (no wait) for the first few.
  static func afterBriefLink(_ failures: Int, spread: Double) -> Double? {
    failures > quickOnes ? seconds(after: failures, spread: spread) : nil
  }

  /// Returns how many seconds to wait after this number of failed attempts. `spread`, a value from
  /// −1 to 1, staggers the retries of boards that failed at the same time.
  static func seconds(after failures: Int, spread: Double) -> Double {
    guard failures > quickOnes else { return quick }
    return slow[min(failures - quickOnes, slow.count) - 1] * (1 + 0.2 * spread)
  }
}
