public import Recording

/// Merges the sentences of each epoch into one report: a fix, or that there is none.
///
/// An epoch closes when the sentence that usually ends the cycle has come, when a sentence names
/// another time, or when `flush` is called because the line paused, whichever is first. No field
/// is ever carried over from an older epoch.
public struct EpochMerger: Sendable {
  /// A date is not carried over a longer silence than this: midnight might pass unseen.
  static let longestCarry = 3_600.0

  /// Eras of 1,024 weeks that were added to the latest fix; 0 for a receiver that knows the date.
  public private(set) var addedEras = 0
  private let floor: UTCTime
  private var open: Epoch?
  private var ending = CycleEnding()
  private var date = RunningDate()
  /// The time of the epoch closed last: what still speaks of it comes too late.
  private var closedTime: TimeOfDay?
  private var closedByEnding = false
  private var lastWasFix = false
  private var lastArrival: BootTime?

  /// A merger that knows neither date nor cycle yet.
  ///
  /// - Parameter floor: dates before it are taken for a wrapped week; see `WeekRollover`.
  public init(floor: UTCTime) {
    self.floor = floor
  }

  /// Takes the next sentence, whose first byte arrived at `arrival`, and reports every epoch that
  /// it closes.
  public mutating func merge(
    _ sentence: ParsedSentence, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    forgetAfterSilence(until: arrival)
    let kind = sentence.kind
    if let time = sentence.time {
      if let closedTime, time.isSameEpoch(as: closedTime) {
        takeLate(sentence, at: arrival, report: report)
        return
      }
      if let open, open.time.map({ !$0.isSameEpoch(as: time) }) ?? open.contains(kind) {
        close(report)
      }
    } else if kind.isTimed {
      // A date without a time says nothing.
      if kind == .zda { return }
      // Receivers that do not know the time send none. The same kind again is the next cycle.
      if let open, open.contains(kind) { close(report) }
    } else if open == nil, closedByEnding, kind == ending.learned?.kind {
      // The cycle has grown by one more of its last kind, which belongs to the epoch just closed.
      ending.forget()
      return
    }
    var epoch = open ?? Epoch()
    epoch.add(sentence, at: arrival)
    open = epoch
    if epoch.time != nil, epoch.statement != nil, epoch.ending == ending.learned {
      close(report)
      closedByEnding = true
    }
  }

  /// Closes the open epoch, if it says anything about position, because the line paused or ended.
  public mutating func flush(report: (PositionReport) -> Void) {
    if open?.statement != nil { close(report) }
  }

  private mutating func close(_ report: (PositionReport) -> Void) {
    guard let epoch = open else { return }
    open = nil
    closedByEnding = false
    if let last = epoch.ending { ending.observe(last) }
    var midnight: UTCTime?
    if let time = epoch.time {
      closedTime = time
      midnight = date.day(of: time, stated: epoch.date)
    }
    // Damage may leave an epoch without any word on position: that is no lost fix.
    guard let arrival = epoch.statement else { return }
    if let midnight, let time = epoch.time {
      let stated = UTCTime(nanoseconds: midnight.nanoseconds + time.nanoseconds)
      let (utc, eras) = WeekRollover.correct(stated, floor: floor)
      if let fix = epoch.fix(at: utc) {
        addedEras = eras
        lastWasFix = true
        report(.fix(fix))
        return
      }
    }
    // Without a date a fix has no instant, so a receiver that has yet to learn it counts as one
    // without a fix.
    lastWasFix = false
    report(.noFix(arrival: arrival))
  }

  /// A sentence of the epoch that was closed already, or of a receiver whose time stands still
  /// since it lost lock: no new fix, but a word that there is none is passed on.
  private mutating func takeLate(
    _ sentence: ParsedSentence, at arrival: BootTime, report: (PositionReport) -> Void
  ) {
    if closedByEnding { ending.forget() }
    if case .rmc(let rmc) = sentence, rmc.position != nil, let time = rmc.time {
      _ = date.day(of: time, stated: rmc.date)
    }
    if sentence.isVoid, lastWasFix {
      lastWasFix = false
      report(.noFix(arrival: arrival))
    }
  }

  private mutating func forgetAfterSilence(until arrival: BootTime) {
    if let lastArrival, arrival.seconds(since: lastArrival) > Self.longestCarry {
      date = RunningDate()
      closedTime = nil
    }
    lastArrival = arrival
  }
}
