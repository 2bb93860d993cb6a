internal import ChunkFormat
internal import Recording
internal import Values

/// A position in a stream. The chunk at this position is in memory.
struct StreamCursor {
  /// The stream's totals up to the current sample.
  var totals: ExportTotals.Stream
  /// Time of the current sample, in nanoseconds; `Int64.max` after the last sample.
  private(set) var time = Int64.max
  /// The stream's signal, and the format of its samples.
  let description: StreamDescription
  /// The raw values of the chunk, one column per axis.
  private(set) var columns: [[Int32]] = []
  private(set) var row = 0
  /// Whether the cursor is at a lost sample, which has a time but no values.
  private(set) var isLost = false

  private let stream: SourceStream
  private let position: Int
  private let visitsLosses: Bool
  private let selection: ExportSelection
  /// The earliest time of the selection, as a number that can be compared with every sample time.
  private let lowest: Int64
  private let limit: Int64
  private var counters: [UInt32] = []
  private var ticks: [UInt32] = []
  private var times: [BootTime] = []
  private var sequence: UInt32?
  private var skipped = SkippedChunks()
  /// The lost samples between the current sample and the next one.
  private var losses = LostSamples.none
  /// Nanoseconds between samples, according to the chunk's clock.
  private var period: Double
  /// The losses since the last sample that no sample number locates: their number and their start.
  private var unplaced: (samples: UInt64, start: BootTime?) = (0, nil)

  /// Creates a cursor that precedes all samples of a stream, given by its index in the source.
  /// `load` moves the cursor to the first sample.
  init(
    _ stream: SourceStream, position: Int, of selection: ExportSelection,
    visitsLosses: Bool = false, in source: some SessionSource
  ) throws {
    self.visitsLosses = visitsLosses
    period = 1e9 / stream.description.rate
    totals = ExportTotals.Stream(of: stream)
    description = stream.description
    self.position = position
    self.stream = stream
    self.selection = selection
    lowest = selection.from?.nanoseconds ?? .min
    limit = selection.to?.nanoseconds ?? .max
    sequence = try selection.from.flatMap {
      try source.sequence(ofStream: position, before: $0)
    }
  }

  /// Moves to the next selected sample in memory. Returns false if the chunk has no more samples.
  @inline(__always)
  mutating func step() -> Bool {
    if visitsLosses { return stepWithLosses() }
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

  /// Moves to the next selected sample, lost or in memory.
  private mutating func stepWithLosses() -> Bool {
    while true {
      if let next = losses.next(from: lowest, before: limit) {
        time = next
        isLost = true
        return true
      }
      isLost = false
      row += 1
      guard row < times.count else { return false }
      let next = times[row].nanoseconds
      if row + 1 < times.count, counters[row + 1] &- counters[row] != 1 {
        let steps = Int32(bitPattern: counters[row + 1] &- counters[row])
        losses = LostSamples(
          between: next, and: times[row + 1].nanoseconds, missing: Double(max(steps, 1) - 1),
          period: period)
      }
      if next >= lowest, next < limit {
        time = next
        return true
      }
    }
  }

  /// Returns the value of one axis of the sample, in the stream's unit.
  @inline(__always)
  func value(_ axis: Int) -> Double {
    description.value(of: columns[axis][row])
  }

  var axisCount: Int { columns.count }

  /// The values of the sample in the order of its axes; 0 for axes that the stream does not have.
  var values: SIMD4<Double> {
    var values = SIMD4<Double>()
    for axis in columns.indices { values[axis] = value(axis) }
    return values
  }

  /// The sample number assigned by the board.
  var number: UInt32 { counters[row] }

  /// The board's clock at the time of the sample, in seconds; `nil` if the stream does not include
  /// it.
  var boardSeconds: Double? {
    guard row < ticks.count else { return nil }
    return Double(ticks[row]) * StreamDescription.secondsPerBoardTick
  }

  /// Moves to the first selected sample of the next chunk that contains one, and reports the gaps
  /// before and within the chunks that it reads.
  mutating func load(
    from source: some SessionSource, gaps: inout GapTable
  ) throws {
    var isBeyond = false
    while let stored = try source.chunk(ofStream: position, after: sequence) {
      if let absent = MissingChunks.between(sequence, UInt64(stored.sequence)) {
        try noteAbsent(absent, from: source)
      }
      sequence = stored.sequence
      do throws(UnusableChunk) {
        let chunk = try stored.chunk(of: stream, in: source.session.id)
        // Losses after a stream's last sample are stored in a chunk without samples.
        guard chunk.count > 0 else {
          unplaced.samples = unplaced.samples.addingSaturated(chunk.lostCount)
          unplaced.start = unplaced.start ?? chunk.gaps.first?.start
          tell(chunk.gaps, to: &gaps)
          continue
        }
        take(chunk, gaps: &gaps)
        if step() { return }
        // Chunks after the end of the selection are not read.
        if times[0].nanoseconds >= limit {
          isBeyond = true
          break
        }
      } catch {
        note(stored.sequence...stored.sequence, error.reason, samples: stored.allSamples)
      }
    }
    if !isBeyond, let lastSequence = stream.lastSequence,
      let absent = MissingChunks.between(sequence, UInt64(lastSequence) + 1)
    {
      try noteAbsent(absent, from: source)
      sequence = lastSequence
    }
    unplaced.samples = unplaced.samples.addingSaturated(skipped.samples)
    tellSkipped(before: nil, to: &gaps)
    (time, row) = (.max, 0)
    (times, counters, columns, ticks) = ([], [], [], [])
    if visitsLosses, !isBeyond { visitLossesAtEnd() }
  }

  /// Moves to the samples that were lost after the last sample. No later sample shows their times,
  /// so they continue at the period of the stream.
  private mutating func visitLossesAtEnd() {
    let (samples, start) = unplaced
    unplaced = (0, nil)
    guard samples > 0, let start = skipped.last?.time ?? start else { return }
    losses = LostSamples(Double(samples), after: start.nanoseconds, spacing: period)
    _ = step()
  }

  /// Finds the lost samples between the last sample and the first sample of the next chunk.
  private mutating func findLosses(before chunk: Chunk) {
    period = chunk.clock.period
    let first = chunk.clock.first.nanoseconds
    if let last = skipped.last {
      let steps = Int32(bitPattern: chunk.counters[0] &- last.counter)
      losses = LostSamples(
        between: last.time.nanoseconds, and: first, missing: Double(max(steps, 1) - 1),
        period: period)
    } else {
      let missing = skipped.samples.addingSaturated(chunk.lostBeforeFirst)
      losses = LostSamples(Double(missing), before: first, period: period)
    }
    unplaced = (0, nil)
  }

  private mutating func take(_ chunk: Chunk, gaps: inout GapTable) {
    if visitsLosses { findLosses(before: chunk) }
    tellSkipped(before: chunk, to: &gaps)
    tell(chunk.gaps, to: &gaps)
    times = chunk.times
    counters = chunk.counters
    columns = chunk.columns
    ticks = chunk.ticks
    skipped.last = (counters[counters.count - 1], times[times.count - 1])
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
      sequences, MissingChunks.absence,
      samples: try source.missingSamples(ofStream: position, in: sequences) ?? 0)
  }

  private mutating func note(
    _ sequences: ClosedRange<UInt32>, _ reason: String, samples: UInt64
  ) {
    skipped.note(sequences, reason, samples: samples)
    MissingChunks.note(sequences, reason, in: &totals.missing)
  }

  /// Reports the skipped chunks as one gap, which ends at the next chunk or at the end of the
  /// stream.
  private mutating func tellSkipped(before chunk: Chunk?, to gaps: inout GapTable) {
    let next = chunk.map { ($0.counters[0], $0.lostBeforeFirst) }
    guard let (parts, lost) = skipped.end(before: next) else { return }
    gaps.append(
      parts, lost: lost, from: skipped.last?.time, to: chunk?.clock.first, ofStream: position)
    totals.count(lost: lost ?? 0, isEstimate: true)
  }
}

extension SourceChunk {
  /// Number of samples in the chunk, including lost samples, according to the source.
  var allSamples: UInt64 {
    UInt64(max(0, sampleCount)).addingSaturated(lostCount)
  }
}
