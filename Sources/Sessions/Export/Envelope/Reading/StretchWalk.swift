internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// Walks through the chunks of a stretch in order, and collects its envelope.
///
/// Samples, gaps and missing chunks are defined as in an export (`StreamCursor`).
struct StretchWalk {
  let stream: StoredStream
  let session: Session
  private(set) var envelope: Envelope
  /// Whether a chunk began well after the stretch, so that later ones do not matter.
  private(set) var isBeyond = false

  /// Nanoseconds by which a chunk may begin before the end of the previous one when its clock was
  /// fitted again. After a short chunk, samples of the stretch may then follow later ones.
  static let tolerance: Int64 = 1_000_000_000

  private let scale: RawScale
  private var sequence: UInt32?
  private var missing: MissingStretch
  /// Stored chunks with buckets whose samples may be in several columns.
  private var straddling: [(chunk: UniqueID, place: ChunkPlace, pyramid: ChunkPyramid)] = []

  init(_ grid: ColumnGrid, of stream: StoredStream, in session: Session) {
    self.stream = stream
    self.session = session
    envelope = Envelope(grid, axes: stream.description.axisCount)
    scale = RawScale(stream.description)
    missing = MissingStretch(session)
  }

  /// Begins after the chunk with this sequence; `nil` for the first.
  mutating func begin(after sequence: UInt32?) { self.sequence = sequence }

  // MARK: Chunks

  /// Adds the next stored chunk by the bytes of its pyramid, or by its own.
  ///
  /// Returns the bytes of a new pyramid for the cache.
  mutating func take(
    _ stored: StoredChunk, _ known: [UInt8]?, _ reader: borrowing StoreReader
  ) throws(StoreError) -> [UInt8]? {
    try arrive(at: stored.sequence, reader)
    let place = place(of: stored)
    if let known, let pyramid = ChunkPyramid(decoding: known, at: place), fits(pyramid) {
      if pass(pyramid), !fold(pyramid) { straddling.append((stored.id, place, pyramid)) }
      return nil
    }
    switch try StretchChunk(stored.id, at: place, of: stream, reader) {
    case .chunk(let chunk):
      let pyramid = ChunkPyramid(of: chunk)
      if pass(pyramid) { fold(chunk) }
      return pyramid.encoded(at: place)
    case .unusable(let reason):
      missing.note(
        stored.sequence...stored.sequence, reason,
        samples: UInt64(max(0, stored.sampleCount)).addingSaturated(stored.lostCount))
      return nil
    }
  }

  /// Adds the next chunk of the tail, which is not sealed yet.
  mutating func takeOpen(
    _ chunk: Chunk, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    try arrive(at: chunk.sequence, reader)
    guard chunk.isSound, chunk.stream.axisCount == envelope.axisCount else { return }
    if pass(ChunkPyramid(of: chunk)) { fold(chunk) }
  }

  /// Ends with the last chunk that the stream ever had.
  mutating func end(
    last: UInt32?, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    if !isBeyond, let last {
      let expected = sequence.map { UInt64($0) + 1 } ?? 0
      if let expected = UInt32(exactly: expected), expected <= last {
        try noteAbsent(expected...last, reader)
      }
    }
    add(missing.gap(before: nil))
  }

  /// Adds the samples of chunks with a bucket that may matter in several columns. Most buckets do
  /// not: other samples of their columns are lower and higher.
  mutating func readStraddling(_ reader: borrowing StoreReader) throws(StoreError) {
    for (id, place, pyramid) in straddling where !fold(pyramid) {
      switch try StretchChunk(id, at: place, of: stream, reader) {
      case .chunk(let chunk): fold(chunk)
      // It has just been deleted, or was damaged after its pyramid was made. The columns then cover
      // the whole buckets only.
      case .unusable: continue
      }
    }
    straddling = []
  }

  private func place(of stored: StoredChunk) -> ChunkPlace {
    ChunkPlace(
      session: session.id, board: stream.board.address, signal: stream.description.signal,
      sequence: stored.sequence)
  }

  private func fits(_ pyramid: ChunkPyramid) -> Bool {
    pyramid.axisCount == envelope.axisCount && pyramid.rawForm == stream.description.rawForm
  }

  // MARK: Samples

  /// Adds the buckets of a pyramid. Returns whether no sample of the chunk is needed.
  private mutating func fold(_ pyramid: ChunkPyramid) -> Bool {
    var isDone = true
    for (bucket, steps) in pyramid.steps.enumerated() {
      let first = place(of: pyramid.clock.time(after: steps.earliest))
      let last = place(of: pyramid.clock.time(after: steps.latest))
      let isAdded = envelope.add(from: first, to: last) { axis in
        scale.values(pyramid.ranges[bucket * pyramid.axisCount + axis])
      }
      isDone = isDone && isAdded
    }
    return isDone
  }

  /// Adds the samples of a chunk, a column at a time.
  private mutating func fold(_ chunk: Chunk) {
    let grid = envelope.grid
    let times = chunk.times
    var row = 0
    while row < times.count {
      guard let column = grid.column(at: place(of: times[row])) else {
        row += 1
        continue
      }
      let (start, end) = (grid.start(of: column), grid.start(of: column + 1))
      let first = row
      repeat {
        row += 1
      } while row < times.count && (start..<end).contains(place(of: times[row]))
      for axis in chunk.columns.indices {
        guard let values = scale.values(scale.range(of: chunk.columns[axis], first..<row)) else {
          continue
        }
        envelope.widen(axis, inColumn: column, to: values)
      }
    }
  }

  private func place(of time: BootTime) -> Int64 { ColumnGrid.place(of: time, in: session) }

  // MARK: Gaps

  /// Notes the chunks between the last one and the next one as missing.
  private mutating func arrive(
    at next: UInt32, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    let expected = sequence.map { $0 &+ 1 } ?? 0
    if next > expected { try noteAbsent(expected...(next - 1), reader) }
    sequence = next
  }

  private mutating func noteAbsent(
    _ sequences: ClosedRange<UInt32>, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    missing.note(
      sequences, "not in the store", samples: try reader.goneSamples(of: stream, in: sequences))
  }

  /// Notes the gaps before a chunk and in it. Returns whether its samples matter.
  private mutating func pass(_ pyramid: ChunkPyramid) -> Bool {
    if pyramid.sampleCount > 0 { add(missing.gap(before: pyramid)) }
    for gap in pyramid.gaps {
      add(
        EnvelopeGap(
          from: missing.seconds(gap.start), to: missing.seconds(gap.end), lost: gap.lost,
          isEstimate: gap.isEstimate, reason: .loss(gap.reason)))
    }
    // Losses after a stream's last sample are in a chunk without samples.
    guard pyramid.sampleCount > 0 else { return false }
    missing.last = (pyramid.lastCounter, pyramid.lastTime)
    isBeyond = place(of: pyramid.clock.first) >= envelope.grid.end + Self.tolerance
    return !isBeyond
  }

  private mutating func add(_ gap: EnvelopeGap?) {
    guard let gap, gap.overlaps(envelope.grid) else { return }
    envelope.gaps.append(gap)
  }
}
