public import LinuxSystem
public import NMEA
public import Recording
public import Values

/// A snapshot of the source and its line.
public struct ReceiverStatus: Sendable {
  /// The source's state.
  public internal(set) var state = ReceiverState.searching
  /// The last fix, of any age; it is the receiver's position only while `state.isCurrent`.
  public internal(set) var fix: Fix?
  /// The last reading of the receiver's clock, even without a position.
  public internal(set) var time: ReceiverTime?
  /// The satellites in view, as last reported.
  public internal(set) var sky = Sky()
  /// Number of intact sentences, used or not; for gpsd, of lines.
  public internal(set) var goodSentences = 0
  /// Number of refused sentences.
  public internal(set) var badSentences = 0
  /// Number of refused sentences by reason, without zeros.
  public internal(set) var faults: [SentenceFault: Int] = [:]
  /// Reports that found the ring to the recorder full.
  public internal(set) var lostReports = 0
  /// Eras of 1,024 weeks added to the receiver's dates; see `WeekRollover`.
  public internal(set) var addedEras = 0
  /// Path of the open device, or gpsd's name for the receiver; `nil` while none is open.
  public internal(set) var device: String?
  /// The speed of the line, if it has one.
  public internal(set) var speed: SerialSpeed?
  /// Whether a sentence was received at that speed.
  public internal(set) var isSpeedFound = false
  /// The reason the last attempt to use the source failed; `nil` while it is open.
  public internal(set) var problem: ReceiverProblem?

  init() {}
}

/// A change of a source's state, or of the reason it cannot be used.
public struct ReceiverChange: Sendable {
  public var time: BootTime
  public var state: ReceiverState
  /// The open device.
  public var device: String?
  /// The speed of the line, if it has one.
  public var speed: SerialSpeed?
  /// The reason it cannot be used; `nil` while it is open.
  public var problem: ReceiverProblem?
}

/// An event for a source's listener; events arrive in order.
public enum ReceiverEvent: Sendable {
  /// An epoch ended.
  case report(PositionReport)
  /// The state changed.
  case change(ReceiverChange)
}
