public import LinuxSystem
public import NMEA
public import Recording
public import Values

/// A snapshot of a position source: its state, its last data, and its counts.
public struct ReceiverStatus: Sendable {
  public internal(set) var state = ReceiverState.searching
  /// The last fix, regardless of its age. It is the current position only if `state.isCurrent` is
  /// true.
  public internal(set) var fix: Fix?
  /// The last reading of the receiver's clock, even without a position.
  public internal(set) var time: ReceiverTime?
  /// The satellites in view, as last reported.
  public internal(set) var sky = Sky()
  /// Number of intact sentences, used or not. For gpsd, the number of intact lines.
  public internal(set) var goodSentences = 0
  /// Number of refused sentences. For gpsd, the number of refused lines.
  public internal(set) var badSentences = 0
  /// Number of refused sentences for each reason. Reasons that never occurred are omitted.
  public internal(set) var faults: [SentenceFault: Int] = [:]
  /// Number of reports lost because the ring to the recorder was full.
  public internal(set) var lostReports = 0
  /// Number of 1,024-week eras added to the receiver's dates; see `WeekRollover`.
  public internal(set) var addedEras = 0
  /// Path of the open device, or gpsd's name for the receiver. `nil` while no device is open.
  public internal(set) var device: String?
  /// Speed of the receiver's serial line, or `nil` if the line has no speed or its speed is
  /// unknown.
  public internal(set) var speed: SerialSpeed?
  /// Whether the line speed is settled: a sentence confirmed it, or there is no search for it.
  public internal(set) var isSpeedFound = false
  /// The reason the last attempt to use the source failed, or `nil` while the source is open.
  public internal(set) var problem: ReceiverProblem?

  init() {}
}

/// A change in a source's state, or in the reason it cannot be used.
public struct ReceiverChange: Sendable {
  public var time: BootTime
  public var state: ReceiverState
  /// Path of the open device, or `nil` while no device is open.
  public var device: String?
  /// Speed of the receiver's serial line, or `nil` if the line has no speed or its speed is
  /// unknown.
  public var speed: SerialSpeed?
  /// The reason the source cannot be used, or `nil` while the source is open.
  public var problem: ReceiverProblem?
}

/// An event for a source's listener. Events are delivered in order.
public enum ReceiverEvent: Sendable {
  /// An epoch ended, with or without a fix.
  case report(PositionReport)
  case change(ReceiverChange)
}
