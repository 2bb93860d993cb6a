internal import Recording
internal import Values

/// The fixes that a recording still needs: the fixes for open chunks, and the last fix for the live
/// view.
struct RecordedTrack {
  private var marker = FixMarker()
  private var isHeard = false
  /// The fixes since the oldest open chunk was started.
  private var recent: [Fix] = []
  private(set) var last: Fix?

  /// Adds a report and returns its fix. The fix is marked if fixes are missing before it.
  mutating func add(_ report: PositionReport) -> Fix? {
    isHeard = true
    // An epoch without a fix only marks the next fix, which must not be joined to the fix before
    // the gap.
    guard let fix = marker.mark(report) else { return nil }
    recent.append(fix)
    last = fix
    return fix
  }

  /// Returns the fixes for an open chunk that was started at a given time.
  func fixes(since start: BootTime?) -> [Fix] {
    guard let start else { return [] }
    return recent.filter { $0.arrival >= start }
  }

  /// Returns whether a chunk that was started at a given time has the maximum number of fixes.
  func isFull(since start: BootTime) -> Bool {
    recent.count >= Chunk.mostFixes && fixes(since: start).count >= Chunk.mostFixes
  }

  /// Drops the fixes that no open chunk needs.
  mutating func forget(before time: BootTime) { recent.removeAll { $0.arrival < time } }

  /// Returns the position of a sample that arrives at a given time, or `nil` before the receiver's
  /// first report.
  func position(at time: BootTime) -> PositionLookup? {
    guard let last else { return isHeard ? .absent(.noFix) : nil }
    return FixTrack.live(last, at: time)
  }
}
