public import LinuxSystem
public import NMEA
public import Recording
public import Values

/// A snapshot of the source and its line.
public struct ReceiverStatus: Sendable {
  /// What the source is doing.
  public internal(set) var state = ReceiverState.searching
  /// The last fix, however old; only while `state.isCurrent` it tells where the receiver is.
  public internal(set) var fix: Fix?
  /// What the receiver's clock said last, also without a position.
  public internal(set) var time: ReceiverTime?
  /// The satellites in view, as they were told last.
  public internal(set) var sky = Sky()
  /// Sentences that came intact, used or not; for gpsd its lines.
  public internal(set) var goodSentences = 0
  /// Sentences that were refused.
  public internal(set) var badSentences = 0
  /// The same by reason, without those for which nothing was refused.
  public internal(set) var faults: [SentenceFault: Int] = [:]
  /// Reports that found the ring to the recorder full.
  public internal(set) var lostReports = 0
  /// Eras of 1,024 weeks that are added to the receiver's dates; see `WeekRollover`.
  public internal(set) var addedEras = 0
  /// What is open: a path, or what gpsd calls the receiver; `nil` while nothing is.
  public internal(set) var device: String?
  /// The speed of its line, where it has one.
  public internal(set) var speed: SerialSpeed?
  /// Whether a sentence was heard at that speed.
  public internal(set) var isSpeedFound = false
  /// Why the source could not be used at the last try; `nil` while it is open.
  public internal(set) var problem: ReceiverProblem?

  init() {}
}

/// A source changed its state, or the reason why it cannot be used.
public struct ReceiverChange: Sendable {
  /// When.
  public var time: BootTime
  /// The state from then on.
  public var state: ReceiverState
  /// What is open.
  public var device: String?
  /// The speed of its line, where it has one.
  public var speed: SerialSpeed?
  /// Why it cannot be used; `nil` while it is open.
  public var problem: ReceiverProblem?
}

/// What a source tells its listener, in order.
public enum ReceiverEvent: Sendable {
  /// An epoch ended.
  case report(PositionReport)
  /// The state changed.
  case change(ReceiverChange)
}
