public import Recording
public import Values

/// Merges the sentences of each epoch into one report: a fix, or no fix.
///
/// An epoch closes at the sentence that usually ends the cycle or at a sentence with another time,
/// whichever is first. It also closes when `flush` is called after a pause of the line. No field is
/// ever carried over from an older epoch.
public struct EpochMerger: Sendable {
  /// A date is not carried over a silence longer than this: midnight might pass unnoticed.
  static let longestCarry = 3_600.0

  /// Eras of 1,024 weeks that were added to the latest fix; 0 for a receiver that knows the date.
  public private(set) var addedEras = 0
  /// The last reading of the receiver's clock; `nil` before the first.
  public private(set) var time: ReceiverTime?
  private let floor: UTCTime
  private let isLive: Bool
  private var open = Epoch()
  /// Whether an epoch is open.
  private var isOpen = false
  private var ending = CycleEnding()
  private var date = RunningDate()
  /// Times of the last two closed epochs: further sentences with them are too late. GLL and GST may
  /// be a whole cycle late.
  private var closedTime: TimeOfDay?
  private var earlierTime: TimeOfDay?
  private var closedByEnding = false
  private var closedKinds = KindSet()
  /// Whether the line paused since the last sentence: the next sentence then begins a cycle.
  private var hasPaused = false
  /// Error statement (GST) on an epoch that is not open.
  private var held: (time: TimeOfDay, error: StatedError)?
  private var jumping = JumpWatch()
  private var lastWasFix = false
  private var lastArrival: BootTime?

  /// A merger that knows neither date nor cycle yet.
  ///
  /// - Parameters:
  ///   - isLive: whether a fix is wanted as soon as its cycle seems over. A log loses nothing by
  ///     waiting for the following sentences, and so avoids errors from additional sentences.
  public init(floor: UTCTime, isLive: Bool = true) {
    self.floor = floor
    self.isLive = isLive
  }

  /// Number of fixes that imply more than 500 m/s since the previous fix; they stay in the track.
  public var jumps: Int { jumping.jumps }

  /// Number of closed epochs, to distinguish cycles.
  private(set) var closed: UInt8 = 0

  /// Merges the next sentence, whose first byte arrived at `arrival`, and reports every epoch that
  /// it closes.
  public mutating func merge(
    _ sentence: ParsedSentence, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    // Satellites in view are often sent only every few seconds, and reveal nothing about an epoch.
    if case .gsv = sentence { return }
    forgetAfterSilence(until: arrival)
    let kind = sentence.kind
    if let time = sentence.time {
      if let closedTime, time.isSameEpoch(as: closedTime) {
        takeLate(sentence, at: arrival, report: report)
        return
      }
      if case .gst(let gst) = sentence, !(isOpen && open.time?.isSameEpoch(as: time) == true) {
        hold(gst, of: time)
        if isOpen {
          open.note(kind)
          closeIfEnded(report)
        }
        return
      }
      if let earlierTime, time.isSameEpoch(as: earlierTime) { return }
      if case .gll = sentence, isOpen, let now = open.time, time.isShortly(before: now) { return }
      if isOpen, open.time.map({ !$0.isSameEpoch(as: time) }) ?? open.contains(kind) {
        close(report)
      }
    } else if kind.isTimed {
      // A date or an error without a time is useless.
      guard kind.isPosition else { return }
      // Receivers that do not know the time send none. A repeated kind then belongs to the next
      // cycle.
      if isOpen, open.contains(kind) { close(report) }
    } else if !isOpen, closedByEnding, !hasPaused, isLate(kind) {
      ending.forget()
      return
    }
    hasPaused = false
    if !isOpen { open = Epoch() }
    isOpen = true
    open.add(sentence, of: kind, at: arrival)
    closeIfEnded(report)
  }

  /// Closes the open epoch, if it concerns position, because the line paused or ended.
  public mutating func flush(report: (PositionReport) -> Void) {
    if isOpen, open.statement != nil { close(report) }
    hasPaused = true
  }

  private mutating func closeIfEnded(_ report: (PositionReport) -> Void) {
    guard isLive, let last = open.ending, ending.isReached(last, of: open.kinds), open.time != nil,
      open.statement != nil
    else { return }
    close(report)
    closedByEnding = true
  }

  /// Whether a sentence without time belongs to the epoch just closed, whose cycle was then longer
  /// than learned. A kind that the epoch contains already, except its last, belongs to the next
  /// epoch.
  private func isLate(_ kind: ParsedSentence.Kind) -> Bool {
    kind == ending.learned?.kind || !closedKinds.contains(kind)
  }

  private mutating func hold(_ gst: ParsedSentence.GST, of time: TimeOfDay) {
    held = StatedError(gst).map { (time, $0) }
  }

  private mutating func close(_ report: (PositionReport) -> Void) {
    isOpen = false
    closedByEnding = false
    closed &+= 1
    if let last = open.ending { ending.observe(last, of: open.kinds) }
    closedKinds = open.kinds
    var utc: UTCTime?
    var eras = 0
    if let time = open.time {
      earlierTime = closedTime
      closedTime = time
      if let midnight = date.day(of: time, stated: open.date) {
        let stated = UTCTime(nanoseconds: midnight.nanoseconds + time.nanoseconds)
        let correct = WeekRollover.correct(stated, floor: floor)
        utc = correct.utc
        eras = correct.eras
      }
      if let arrival = open.firstArrival {
        self.time = ReceiverTime(
          arrival: arrival, timeOfDay: time, utc: utc, hasFix: open.isValid)
      }
    }
    // Damaged sentences may leave an epoch without any sentence about position: that is not a lost
    // fix.
    guard let arrival = open.statement else { return }
    if let utc, let fix = open.fix(at: utc, held: heldError(of: open.time)) {
      addedEras = eras
      lastWasFix = true
      jumping.take(fix)
      report(.fix(fix))
      return
    }
    // Without a date a fix has no instant, so a receiver that does not know the date yet counts as
    // one without a fix.
    lastWasFix = false
    report(.noFix(arrival: arrival))
  }

  private func heldError(of time: TimeOfDay?) -> StatedError? {
    guard let held, let time, held.time.isSameEpoch(as: time) else { return nil }
    return held.error
  }

  /// Handles a sentence of an epoch already closed, or of a receiver whose time stays the same
  /// since it lost lock. It gives no new fix, but the loss of the fix is reported.
  private mutating func takeLate(
    _ sentence: ParsedSentence, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    if closedByEnding, !hasPaused { ending.forget() }
    if case .rmc(let rmc) = sentence, rmc.position != nil, let time = rmc.time {
      _ = date.day(of: time, stated: rmc.date)
    }
    if sentence.isVoid, lastWasFix, !isOpen {
      lastWasFix = false
      report(.noFix(arrival: arrival))
    }
  }

  private mutating func forgetAfterSilence(until arrival: BootTime) {
    if let lastArrival, arrival.seconds(since: lastArrival) > Self.longestCarry {
      date = RunningDate()
      closedTime = nil
      earlierTime = nil
      held = nil
    }
    lastArrival = arrival
  }
}
