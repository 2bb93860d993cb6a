internal import Recording

/// Reads a session's selected fixes page by page, in order of arrival.
struct TrackReader {
  private let selection: ExportSelection

  init(_ selection: ExportSelection) {
    self.selection = selection
  }

  func count(
    upTo limit: Int, _ source: some SessionSource
  ) throws -> Int {
    var count = 0
    try forEach(of: limit, source) { _ in count += 1 }
    return count
  }

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
      // Fixes are in order of arrival, so no fix after the first one beyond the selection can be
      // selected.
      if page.count < FixWindow.pageSize { break }
      if let last = page.last, let to = selection.to, to <= last.arrival { break }
    }
  }
}
