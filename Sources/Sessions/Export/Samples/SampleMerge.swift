internal import Recording

/// Merges the samples of all selected streams in chronological order.
struct SampleMerge {
  /// Indices of the selected streams in the source's list of streams.
  let positions: [Int]
  let streams: [SourceStream]
  var cursors: [StreamCursor] = []
  /// The time of each cursor's current sample, stored contiguously for a fast search.
  private var times: [Int64]

  /// Creates a cursor for each selected stream. `begin` moves the cursors to their first samples.
  ///
  /// With `visitsLosses`, the merge includes every lost sample, at the time at which the board took
  /// it.
  init(
    _ source: some SessionSource, _ selection: ExportSelection, visitsLosses: Bool = false
  ) throws {
    let all = try source.streams()
    let positions = all.indices.filter { selection.includes(all[$0]) }
    self.positions = positions
    streams = positions.map { all[$0] }
    times = [Int64](repeating: .max, count: positions.count)
    for position in positions {
      cursors.append(
        try StreamCursor(
          all[position], position: position, of: selection, visitsLosses: visitsLosses,
          in: source))
    }
  }

  mutating func begin(in source: some SessionSource, gaps: inout GapTable) throws {
    for index in cursors.indices { try load(index, from: source, gaps: &gaps) }
  }

  /// The index of the cursor whose sample is earliest; the lowest index if several have the same
  /// time. `nil` if no samples remain.
  var earliest: Int? {
    var found: Int?
    var time = Int64.max
    // There are at most a few dozen streams, so scanning all of them costs less than a heap.
    for index in times.indices where times[index] < time {
      time = times[index]
      found = index
    }
    return found
  }

  func time(_ index: Int) -> Int64 { times[index] }

  /// Moves a cursor to its next sample in memory. Returns false if its chunk has no more samples.
  @inline(__always)
  mutating func step(_ index: Int) -> Bool {
    let isThere = cursors[index].step()
    if isThere { times[index] = cursors[index].time }
    return isThere
  }

  mutating func load(
    _ index: Int, from source: some SessionSource, gaps: inout GapTable
  ) throws {
    try cursors[index].load(from: source, gaps: &gaps)
    times[index] = cursors[index].time
  }

  /// Appends the board's clock, preceded by a member name. Does nothing and returns false if the
  /// sample does not include the clock.
  @inline(__always)
  mutating func appendBoardSeconds(
    of index: Int, behind name: [UInt8], to buffer: inout TextBuffer
  ) -> Bool {
    guard let seconds = cursors[index].boardSeconds else { return false }
    buffer.append(name)
    buffer.append(seconds, decimals: 6)
    return true
  }

  /// Whether a cursor is at a lost sample, which has no values.
  @inline(__always)
  func isLost(_ index: Int) -> Bool { cursors[index].isLost }

  /// Returns the values of a cursor's sample, in the order of its axes.
  @inline(__always)
  mutating func values(_ index: Int) -> SIMD4<Double> { cursors[index].values }

  /// Counts samples of a cursor that were written with the same position.
  @inline(__always)
  mutating func count(_ index: Int, samples: Int = 1, isPositioned: Bool) {
    cursors[index].totals.rows += samples
    if isPositioned { cursors[index].totals.positioned += samples }
  }

  var totals: ExportTotals { ExportTotals(streams: cursors.map(\.totals)) }
}
