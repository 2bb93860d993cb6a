internal import Recording
internal import Values

/// Schedules the reports read from a file, so that fixes are delivered at the recorded intervals.
struct ReplayPace: Sendable {
  /// Maximum step in seconds between two reports. A longer or backward step is a pause in the log,
  /// which the replay skips.
  static let longestStep = 10.0
  /// Seconds to wait in place of a step that is skipped, or before a report that has no time.
  static let usualStep = 1.0

  private let isHurried: Bool
  private var last: (utc: UTCTime, due: BootTime)?

  init(isHurried: Bool) {
    self.isHurried = isHurried
  }

  /// Returns the time when a report must be delivered. `now` is the time when the report was read.
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
      // The report has no time, so it is scheduled one usual step after the previous report.
      guard let last else { return now }
      let due = last.due.advanced(bySeconds: Self.usualStep)
      self.last = (
        UTCTime(nanoseconds: last.utc.nanoseconds + Int64(Self.usualStep * 1e9)), due
      )
      return due
    }
  }
}
