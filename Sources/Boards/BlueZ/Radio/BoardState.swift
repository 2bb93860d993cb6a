/// What is being done to link one board, or to end its link.
///
/// `seeking` → `connecting` → `resolving` → (`rereading` →) `up`; a failure leads to `pausing` and
/// back to `seeking`. A device whose attributes stay incomplete goes through `dropping` and
/// `removing`, so that the daemon forgets the attributes it remembers, and is sought again.
struct BoardState: Sendable {
  enum Phase: Hashable {
    /// It is not wanted; what is known of it is kept.
    case idle
    /// Waiting to be heard, or for its turn.
    case seeking
    case pausing(until: Double)
    /// The daemon was asked for the link; by which operation, since when it was that or was called
    /// off.
    case connecting(Int, since: Double, isCalledOff: Bool)
    /// The link is there, or about to be; its attributes are not.
    case resolving(since: Double, wasLinked: Bool)
    /// Its attributes are incomplete, which a listing of all objects may mend.
    case rereading(Int?, at: Double)
    /// The link is being ended, by which operation until that was answered, to do this afterwards.
    case dropping(Int?, since: Double, Next)
    case removing(Int)
    case up(since: Double)
  }

  enum Next: Hashable {
    case seek
    /// The attempt failed, which counts.
    case fail
    case remove
  }

  var phase = Phase.seeking
  /// The device object in use; `nil` while seeking.
  var device: String?
  /// Whether its link was there before we asked for one.
  var isFound = false
  var isWanted = true
  /// When it was released; `nil` while it is wanted.
  var releasedAt: Double?
  var patience: Radio.Patience?
  /// Since when it has been sought in vain, for callers with limited patience.
  var seekingSince: Double
  /// Failed attempts since a link was stable.
  var failures = 0
  /// The daemon's words on the last of them.
  var lastReason = ""
  /// Until when it is left alone, because its links end as soon as they are made.
  var restUntil: Double?
  /// When bluetoothd was last made to forget its attributes.
  var removedAt: Double?
  /// Its last link and when it ended: it can be asked for at once, without looking for it.
  var lastLink: (device: String, ended: Double)?
  /// Devices that have to be heard again after this time: earlier advertisements are of no use.
  var deafUntil = -1.0
  /// Answers of the daemon that did not come, in a row.
  var unanswered = 0
  var isStreaming = false
  /// Whether it was told that there is no room for it.
  var isToldOfRoom = false

  var isSeeking: Bool { isWanted && phase == .seeking }

  /// Whether its adapter can do nothing else for now.
  var isLinking: Bool {
    switch phase {
    case .connecting, .resolving, .rereading, .dropping, .removing: true
    case .idle, .seeking, .pausing, .up: false
    }
  }

  var isUp: Bool { if case .up = phase { true } else { false } }
}

/// How long to wait after so many failed attempts: three quick ones, since most failures are
/// chance, then ever longer, without end.
enum RetryPause {
  private static let quick = 0.25
  private static let slow: [Double] = [1, 2, 5, 10, 30, 60]
  private static let quickOnes = 3

  /// Seconds after so many links that ended as soon as they were made; the first ones need no
  /// pause.
  static func afterBriefLink(_ failures: Int, spread: Double) -> Double? {
    failures > quickOnes ? seconds(after: failures, spread: spread) : nil
  }

  /// Seconds; `spread` from −1 to 1 moves boards that failed together apart.
  static func seconds(after failures: Int, spread: Double) -> Double {
    guard failures > quickOnes else { return quick }
    return slow[min(failures - quickOnes, slow.count) - 1] * (1 + 0.2 * spread)
  }
}
