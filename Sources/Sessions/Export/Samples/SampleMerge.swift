internal import Recording

/// Cursors in all selected streams, and the choice of the next one.
struct SampleMerge {
  /// Positions of the selected streams in the source.
  let positions: [Int]
  private(set) var cursors: [StreamCursor] = []
  /// The present time of each cursor, side by side.
  private var times: [Int64]

  /// Cursors before the beginning; `begin` moves them to a sample.
  init(
    _ source: some SessionSource, _ selection: ExportSelection
  ) throws {
    let streams = try source.streams()
    positions = streams.indices.filter { selection.includes(streams[$0]) }
    times = [Int64](repeating: .max, count: positions.count)
    for position in positions {
      cursors.append(
        try StreamCursor(streams[position], position: position, of: selection, in: source))
    }
  }

  /// Moves to the first samples, or to the place of another merge of these streams.
  mutating func begin(
    at place: SeriesPlace? = nil, in source: some SessionSource,
    gaps: inout GapTable
  ) throws {
    guard let place, place.streams.count == cursors.count else {
      return try loadAll(from: source, gaps: &gaps)
    }
    for index in cursors.indices {
      try cursors[index].go(to: place.streams[index], in: source, gaps: &gaps)
      if place.streams[index].row == nil { try load(index, from: source, gaps: &gaps) }
      times[index] = cursors[index].time
    }
  }

  /// The cursor with the next sample; the first of several at one instant.
  var earliest: Int? {
    var found: Int?
    var time = Int64.max
    // There are a few dozen streams at most: a scan of all costs less than a heap.
    for index in times.indices where times[index] < time {
      time = times[index]
      found = index
    }
    return found
  }

  /// The time of a cursor, nanoseconds.
  func time(_ index: Int) -> Int64 { times[index] }

  /// Moves to the next sample in memory. Returns whether there is one.
  @inline(__always)
  mutating func step(_ index: Int) -> Bool {
    let isThere = cursors[index].step()
    if isThere { times[index] = cursors[index].time }
    return isThere
  }

  /// Moves to the next chunk.
  mutating func load(
    _ index: Int, from source: some SessionSource, gaps: inout GapTable
  ) throws {
    try cursors[index].load(from: source, gaps: &gaps)
    times[index] = cursors[index].time
  }

  /// Moves every cursor without a sample to its next chunk.
  mutating func loadAll(
    from source: some SessionSource, gaps: inout GapTable
  ) throws {
    for index in cursors.indices where times[index] == .max {
      try load(index, from: source, gaps: &gaps)
    }
  }

  /// Appends a sample's values as fields of a row.
  @inline(__always)
  mutating func appendFields(of index: Int, to buffer: inout TextBuffer) {
    cursors[index].appendFields(to: &buffer)
  }

  /// Appends a sample's number and values as members of an object.
  @inline(__always)
  mutating func appendMembers(of index: Int, _ axes: [[UInt8]], to buffer: inout TextBuffer) {
    cursors[index].appendMembers(axes, to: &buffer)
  }

  /// Appends the board's clock after a name, if the sample has it. Returns whether it does.
  @inline(__always)
  mutating func appendBoardSeconds(
    of index: Int, behind name: [UInt8], to buffer: inout TextBuffer
  ) -> Bool {
    guard let seconds = cursors[index].boardSeconds else { return false }
    buffer.append(name)
    buffer.append(seconds, decimals: 6)
    return true
  }

  /// Counts a row.
  @inline(__always)
  mutating func count(_ index: Int, isPositioned: Bool) {
    cursors[index].totals.rows += 1
    if isPositioned { cursors[index].totals.positioned += 1 }
  }

  /// The places of all cursors.
  var place: SeriesPlace { SeriesPlace(streams: cursors.map(\.place)) }

  /// The counts of the streams.
  var totals: ExportTotals { ExportTotals(streams: cursors.map(\.totals)) }
}
