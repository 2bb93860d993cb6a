internal import Recording
internal import Values

/// The fixes of a recording: the ones that open chunks need, and the last one for the live view.
struct RecordedTrack {
  private var marker = FixMarker()
  private var isHeard = false
  /// The fixes since the oldest open chunk began.
  private var recent: [Fix] = []
  private(set) var last: Fix?

  /// Adds a report. Returns its fix, which is marked if it follows a loss.
  mutating func add(_ report: PositionReport) -> Fix? {
    isHeard = true
    // An epoch without a fix is marked at the next fix, which then has to stand alone.
    guard let fix = marker.mark(report) else { return nil }
    recent.append(fix)
    last = fix
    return fix
  }

  /// The fixes of an open chunk that began at a time.
  func fixes(since start: BootTime?) -> [Fix] {
    guard let start else { return [] }
    return recent.filter { $0.arrival >= start }
  }

  /// Whether a chunk that began at a time has the largest permitted number of fixes.
  func isFull(since start: BootTime) -> Bool {
    recent.count >= Chunk.mostFixes && fixes(since: start).count >= Chunk.mostFixes
  }

  /// Drops the fixes that no open chunk needs.
  mutating func forget(before time: BootTime) { recent.removeAll { $0.arrival < time } }

  /// The position of a sample that arrives now; `nil` if no receiver was heard.
  func position(at time: BootTime) -> PositionLookup? {
    guard let last else { return isHeard ? .absent(.noFix) : nil }
    return FixTrack.live(last, at: time)
  }
}
