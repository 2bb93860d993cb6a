public import Recording
public import Values

/// Merges the sentences of each epoch into one report, which contains a fix or says that there is
/// none.
///
/// An epoch closes when the sentence that usually ends the cycle arrives, or when a sentence with a
/// different time arrives. It also closes when `flush` is called after a pause on the line. No
/// position, speed or other field is carried over from an earlier epoch.
public struct EpochMerger: Sendable {
  /// Maximum silence in seconds after which the date is still carried over to the next epoch.
  /// During a longer silence, midnight might pass unnoticed.
  static let longestCarry = 3_600.0

  /// Number of 1,024-week eras added to the date of the latest fix. 0 if the receiver reports the
  /// correct date.
  public private(set) var addedEras = 0
  /// Last reading of the receiver's clock, or `nil` before the first.
  public private(set) var time: ReceiverTime?
  private let floor: UTCTime
  private let isLive: Bool
  private var open = Epoch()
  private var isOpen = false
  private var ending = CycleEnding()
  private var date = RunningDate()
  /// Times of the last two closed epochs. Any further sentences with these times have arrived too
  /// late. GLL and GST may be late by a whole cycle.
  private var closedTime: TimeOfDay?
  private var earlierTime: TimeOfDay?
  private var closedByEnding = false
  private var closedKinds = KindSet()
  /// Whether the line has paused since the last sentence. If so, the next sentence starts a cycle.
  private var hasPaused = false
  /// The last error estimate (GST) that arrived while its epoch was not open.
  private var held: (time: TimeOfDay, error: StatedError)?
  private var jumping = JumpWatch()
  private var lastWasFix = false
  private var lastArrival: BootTime?

  /// Creates a merger that does not yet know the date or the receiver's cycle.
  ///
  /// - Parameters:
  ///   - isLive: Whether a fix is needed as soon as its cycle appears to be over. When a log is
  ///     read, the merger can wait for the next sentences, which avoids errors caused by extra
  ///     sentences.
  public init(floor: UTCTime, isLive: Bool = true) {
    self.floor = floor
    self.isLive = isLive
  }

  /// Number of fixes that imply a speed of more than 500 m/s since the previous fix. These fixes
  /// remain in the track.
  public var jumps: Int { jumping.jumps }

  /// Number of closed epochs modulo 256, used to distinguish cycles.
  private(set) var closed: UInt8 = 0

  /// Merges the next sentence, and reports every epoch that it closes. The first byte of the
  /// sentence arrived at `arrival`.
  public mutating func merge(
    _ sentence: ParsedSentence, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    // Sentences about satellites in view are often sent only every few seconds and reveal nothing
    // about an epoch.
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
      // A date or an error estimate is useless without a time.
      guard kind.isPosition else { return }
      // A receiver that does not know the time omits it. A repeated kind of sentence then belongs
      // to the next cycle.
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

  /// Closes and reports the open epoch if a sentence about the position has arrived. Call this when
  /// the line has paused or ended.
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

  /// Returns whether a sentence without a time belongs to the epoch that was just closed. In that
  /// case, the cycle contained more sentences than expected. A kind of sentence that the closed
  /// epoch already contains belongs to the next epoch, unless it is the last kind of the cycle.
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
    // If sentences are damaged, an epoch may have no sentence about the position. This does not
    // mean that the receiver has lost its fix.
    guard let arrival = open.statement else { return }
    if let utc, let fix = open.fix(at: utc, held: heldError(of: open.time)) {
      addedEras = eras
      lastWasFix = true
      jumping.take(fix)
      report(.fix(fix))
      return
    }
    // Without a date, the time of a fix is unknown. A receiver that does not know the date yet is
    // therefore treated as having no fix.
    lastWasFix = false
    report(.noFix(arrival: arrival))
  }

  private func heldError(of time: TimeOfDay?) -> StatedError? {
    guard let held, let time, held.time.isSameEpoch(as: time) else { return nil }
    return held.error
  }

  /// Handles a sentence that belongs to a closed epoch, or to a receiver whose time has not
  /// advanced since it lost lock. The sentence cannot produce a fix, but it may report that the fix
  /// is lost.
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
