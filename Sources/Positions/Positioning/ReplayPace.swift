internal import Recording
internal import Values

/// Schedules the reports of a file, so that fixes arrive at the intervals of the recording.
struct ReplayPace: Sendable {
  /// A step in time that is longer, or backwards, is a pause in the log, which a replay skips.
  static let longestStep = 10.0
  /// Seconds for such a step, or for a report without a time.
  static let usualStep = 1.0

  private let isHurried: Bool
  private var last: (utc: UTCTime, due: BootTime)?

  init(isHurried: Bool) {
    self.isHurried = isHurried
  }

  /// Time at which a report is due; `now` is the time it was read.
  mutating func due(_ report: PositionReport, at now: BootTime) -> BootTime {
    guard !isHurried else { return now }
    switch report {
    case .fix(let fix):
      guard let last else {
        self.last = (fix.utc, now)
        return now
      }
      var step = Double(fix.utc.nanoseconds - last.utc.nanoseconds) / 1e9
      if step < 0 || step > Self.longestStep { step = Self.usualStep }
      let due = last.due.advanced(bySeconds: step)
      self.last = (fix.utc, due)
      return due
    case .noFix:
      // The report has no time, but an epoch has passed.
      guard let last else { return now }
      let due = last.due.advanced(bySeconds: Self.usualStep)
      self.last = (
        UTCTime(nanoseconds: last.utc.nanoseconds + Int64(Self.usualStep * 1e9)), due
      )
      return due
    }
  }
}
