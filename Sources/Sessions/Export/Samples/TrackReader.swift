internal import Recording

/// The fixes of a session that are selected, in order of arrival, page by page.
struct TrackReader {
  private let selection: ExportSelection

  init(_ selection: ExportSelection) {
    self.selection = selection
  }

  /// How many there are, counted up to `limit`.
  func count(
    upTo limit: Int, _ source: some SessionSource
  ) throws -> Int {
    var count = 0
    try forEach(of: limit, source) { _ in count += 1 }
    return count
  }

  /// Does something with each of the first `limit` fixes.
  func forEach(
    of limit: Int, _ source: some SessionSource,
    _ body: (Fix) throws -> Void
  ) throws {
    var (first, count) = (0, 0)
    while count < limit {
      let page = try source.fixes(from: first, limit: FixWindow.pageSize)
      first += page.count
      for fix in page where count < limit && selection.includes(fix.arrival) {
        try body(fix)
        count += 1
      }
      // Fixes are in order: after the first one too late there are no others.
      if page.count < FixWindow.pageSize { break }
      if let last = page.last, let to = selection.to, to <= last.arrival { break }
    }
  }
}
