internal import ChunkFormat
internal import Recording
internal import Values

/// A place in a stream, whose chunk is in memory.
struct StreamCursor {
  /// The counts of the stream so far.
  var totals: ExportTotals.Stream
  /// Time of the present sample, nanoseconds; the maximum after the last one.
  private(set) var time = Int64.max
  /// The signal of the stream and the form of its samples.
  let description: StreamDescription
  /// The raw values of the chunk, one column per axis.
  private(set) var columns: [[Int32]] = []
  /// Row of the present sample.
  private(set) var row = 0

  private let position: Int
  private let lastSequence: UInt32?
  private let selection: ExportSelection
  /// The bounds of the selection, as numbers that can be compared with every time.
  private let lowest: Int64
  private let limit: Int64
  private var counters: [UInt32] = []
  private var ticks: [UInt32] = []
  private var times: [BootTime] = []
  private var sequence: UInt32?
  /// The last sample of the previous chunk, from which the extent of a gap is computed.
  private var last: (counter: UInt32, time: BootTime)?
  /// Chunks left out since the last sample, and their number of samples according to the source,
  /// lost ones included.
  private var left: [MissingChunks] = []
  private var leftSamples: UInt64 = 0

  /// A cursor before the stream at this position of the source; `load` moves it to a sample.
  init(
    _ stream: SourceStream, position: Int, of selection: ExportSelection,
    in source: some SessionSource
  ) throws {
    totals = ExportTotals.Stream(of: stream)
    description = stream.description
    self.position = position
    lastSequence = stream.lastSequence
    self.selection = selection
    lowest = selection.from?.nanoseconds ?? .min
    limit = selection.to?.nanoseconds ?? .max
    sequence = try selection.from.flatMap {
      try source.sequence(ofStream: position, before: $0)
    }
  }

  /// Moves to the next sample in memory. Returns whether there is one.
  @inline(__always)
  mutating func step() -> Bool {
    row += 1
    while row < times.count {
      let next = times[row].nanoseconds
      if next >= lowest, next < limit {
        time = next
        return true
      }
      row += 1
    }
    return false
  }

  /// The present place: the sequence of its chunk or of the chunk before it, and a row.
  var place: SeriesPlace.Stream {
    SeriesPlace.Stream(sequence: sequence, row: times.isEmpty ? nil : row)
  }

  /// Moves to a place, from which `load` and `step` continue.
  mutating func go(
    to place: SeriesPlace.Stream, in source: some SessionSource,
    gaps: inout GapTable
  ) throws {
    sequence = place.sequence
    guard let row = place.row, let chunk = place.sequence else { return }
    // The chunk itself is loaded again: it is the first one after the sequence before it.
    sequence = chunk > 0 ? chunk - 1 : nil
    try load(from: source, gaps: &gaps)
    guard sequence == chunk else { return }
    self.row = row - 1
    if !step() { try load(from: source, gaps: &gaps) }
  }

  /// The value of one axis of the sample, in the stream's unit.
  @inline(__always)
  func value(_ axis: Int) -> Double {
    description.value(of: columns[axis][row])
  }

  /// Number of axes.
  var axisCount: Int { columns.count }

  /// The board's number of the sample.
  var number: UInt32 { counters[row] }

  /// The board's clock at the sample, in seconds; `nil` where the stream has none.
  var boardSeconds: Double? {
    guard row < ticks.count else { return nil }
    return Double(ticks[row]) * StreamDescription.secondsPerBoardTick
  }

  /// Moves to the first sample of the next chunk that contains one, and reports the gaps before and
  /// in that chunk.
  mutating func load(
    from source: some SessionSource, gaps: inout GapTable
  ) throws {
    var isBeyond = false
    while let stored = try source.chunk(ofStream: position, after: sequence) {
      let expected = sequence.map { $0 + 1 } ?? 0
      if stored.sequence > expected {
        try noteAbsent(expected...(stored.sequence - 1), from: source)
      }
      sequence = stored.sequence
      do throws(ChunkError) {
        let chunk = try Chunk(decoding: stored.bytes.span)
        // An undamaged chunk in the wrong row would assign one board's samples to another board.
        guard chunk.session == source.session.id, chunk.sequence == stored.sequence,
          chunk.board.address == totals.board, chunk.stream.signal == totals.signal,
          chunk.stream.axisCount == description.axisCount,
          stored.entry?.describes(ReceivedChunk(bytes: [], chunk: chunk)) ?? true
        else {
          note(stored, "belongs elsewhere")
          continue
        }
        // Losses after a stream's last sample are in a chunk without samples.
        guard chunk.count > 0 else {
          tell(chunk.gaps, to: &gaps)
          continue
        }
        take(chunk, gaps: &gaps)
        if step() { return }
        // Chunks beyond the selection are not read.
        if times[0].nanoseconds >= limit {
          isBeyond = true
          break
        }
      } catch {
        note(stored, error.description)
      }
    }
    if !isBeyond, let lastSequence {
      let expected = sequence.map { UInt64($0) + 1 } ?? 0
      if let expected = UInt32(exactly: expected), expected <= lastSequence {
        try noteAbsent(expected...lastSequence, from: source)
        sequence = lastSequence
      }
    }
    tellLeft(before: nil, to: &gaps)
    time = .max
    row = 0
    times = []
    counters = []
    columns = []
    ticks = []
  }

  private mutating func take(_ chunk: Chunk, gaps: inout GapTable) {
    tellLeft(before: chunk, to: &gaps)
    tell(chunk.gaps, to: &gaps)
    times = chunk.times
    counters = chunk.counters
    columns = chunk.columns
    ticks = chunk.ticks
    last = (counters[counters.count - 1], times[times.count - 1])
    row = -1
  }

  private mutating func tell(_ found: [Gap], to gaps: inout GapTable) {
    for gap in found where selection.overlaps(gap.start, gap.end) {
      gaps.append(gap, ofStream: position)
      totals.count(lost: gap.lost, isEstimate: gap.isEstimate)
    }
  }

  private mutating func noteAbsent(
    _ sequences: ClosedRange<UInt32>, from source: some SessionSource
  ) throws {
    note(
      sequences, "not in the store",
      samples: try source.missingSamples(ofStream: position, in: sequences) ?? 0)
  }

  private mutating func note(_ chunk: SourceChunk, _ reason: String) {
    note(chunk.sequence...chunk.sequence, reason, samples: chunk.allSamples)
  }

  private mutating func note(
    _ sequences: ClosedRange<UInt32>, _ reason: String, samples: UInt64
  ) {
    leftSamples = leftSamples.addingSaturated(samples)
    for list in [\StreamCursor.left, \StreamCursor.totals.missing] {
      if let last = self[keyPath: list].last, last.reason == reason,
        last.sequences.upperBound + 1 == sequences.lowerBound
      {
        self[keyPath: list].removeLast()
        self[keyPath: list].append(
          MissingChunks(
            sequences: last.sequences.lowerBound...sequences.upperBound, reason: reason))
      } else {
        self[keyPath: list].append(MissingChunks(sequences: sequences, reason: reason))
      }
    }
  }

  /// Reports the chunks left out before a chunk, or before the end, as one gap.
  private mutating func tellLeft(before chunk: Chunk?, to gaps: inout GapTable) {
    guard !left.isEmpty else { return }
    defer {
      left = []
      leftSamples = 0
    }
    // The numbers of the samples continue across missing chunks, and a chunk reports the gap before
    // its first sample itself. Where a neighbour is missing too, the source gives the count.
    var lost = leftSamples > 0 ? leftSamples : nil
    if let last, let chunk {
      let steps = Int32(bitPattern: chunk.counters[0] &- last.counter &- 1)
      if steps >= 0 { lost = UInt64(steps) - min(UInt64(steps), chunk.lostBeforeFirst) }
    }
    gaps.append(left, lost: lost, from: last?.time, to: chunk?.clock.first, ofStream: position)
    totals.count(lost: lost ?? 0, isEstimate: true)
  }
}

extension SourceChunk {
  /// The samples of the chunk and its lost samples, by the source's counts.
  fileprivate var allSamples: UInt64 {
    UInt64(max(0, sampleCount)).addingSaturated(lostCount)
  }
}
