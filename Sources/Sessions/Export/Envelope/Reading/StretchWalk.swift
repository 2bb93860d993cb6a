internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// Reads the chunks of a time range in order, and assembles its envelope.
///
/// Samples, gaps and missing chunks are treated as in an export (`StreamCursor`).
struct StretchWalk {
  let stream: StoredStream
  let session: Session
  private(set) var envelope: Envelope
  /// Whether the last chunk began so long after the time range that no later chunk can affect the
  /// envelope.
  private(set) var isBeyond = false

  /// Nanoseconds by which a chunk may begin before the end of the previous chunk, if its clock was
  /// refitted. After a short chunk that begins beyond the time range, the next chunk may therefore
  /// still begin within the range.
  static let tolerance: Int64 = 1_000_000_000

  private let scale: RawScale
  private var sequence: UInt32?
  private var skipped = SkippedChunks()
  /// Stored chunks with a bucket whose samples may be in several columns.
  private var straddling: [(chunk: UniqueID, place: ChunkPlace, pyramid: ChunkPyramid)] = []

  init(_ grid: ColumnGrid, of stream: StoredStream, in session: Session) {
    self.stream = stream
    self.session = session
    envelope = Envelope(grid, axes: stream.description.axisCount)
    scale = RawScale(stream.description)
  }

  /// Sets where reading begins: after the chunk with this sequence number, or at the first chunk if
  /// `nil`.
  mutating func begin(after sequence: UInt32?) { self.sequence = sequence }

  // MARK: Chunks

  /// Adds the next stored chunk, from its cached pyramid if possible.
  ///
  /// Returns the encoded pyramid if the cache does not contain it yet; otherwise `nil`.
  mutating func take(
    _ stored: StoredChunk, _ known: [UInt8]?, _ reader: borrowing StoreReader
  ) throws(StoreError) -> [UInt8]? {
    try arrive(at: stored.sequence, reader)
    let place = place(of: stored)
    if let known, let pyramid = ChunkPyramid(decoding: known, at: place), fits(pyramid) {
      if pass(pyramid), !fold(pyramid) { straddling.append((stored.id, place, pyramid)) }
      return nil
    }
    switch try reader.chunk(stored.id, at: place, of: stream) {
    case .success(let chunk):
      let pyramid = ChunkPyramid(of: chunk)
      if pass(pyramid) { fold(chunk) }
      return pyramid.encoded(at: place)
    case .failure(let error):
      skipped.note(
        stored.sequence...stored.sequence, error.reason,
        samples: UInt64(max(0, stored.sampleCount)).addingSaturated(stored.lostCount))
      return nil
    }
  }

  /// Adds the next chunk of the tail, which has not been sealed yet.
  mutating func takeOpen(
    _ chunk: Chunk, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    try arrive(at: chunk.sequence, reader)
    guard chunk.isSound, chunk.stream.axisCount == envelope.axisCount else { return }
    if pass(ChunkPyramid(of: chunk)) { fold(chunk) }
  }

  /// Ends the reading. Records the remaining chunks of the stream, up to `last`, as missing.
  mutating func end(
    last: UInt32?, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    if !isBeyond, let last, let absent = MissingChunks.between(sequence, UInt64(last) + 1) {
      try noteAbsent(absent, reader)
    }
    addSkipped(before: nil)
  }

  /// Adds the individual samples of chunks with a bucket that may widen several columns. Such
  /// buckets are rare: their columns usually already contain lower and higher samples.
  mutating func readStraddling(_ reader: borrowing StoreReader) throws(StoreError) {
    for (id, place, pyramid) in straddling where !fold(pyramid) {
      switch try reader.chunk(id, at: place, of: stream) {
      case .success(let chunk): fold(chunk)
      // The chunk was deleted or damaged after its pyramid was read. Its columns then cover only
      // whole buckets.
      case .failure: continue
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

  /// Adds the buckets of a pyramid. Returns true if the envelope needs no individual samples from
  /// the chunk.
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

  /// Adds a chunk's samples, one column at a time.
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

  /// Moves on to the next chunk, and records any chunks skipped since the last one as missing.
  private mutating func arrive(
    at next: UInt32, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    if let absent = MissingChunks.between(sequence, UInt64(next)) { try noteAbsent(absent, reader) }
    sequence = next
  }

  private mutating func noteAbsent(
    _ sequences: ClosedRange<UInt32>, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    skipped.note(
      sequences, MissingChunks.absence,
      samples: try reader.goneSamples(of: stream, in: sequences))
  }

  /// Records the gaps before and within a chunk. Returns whether the envelope needs the chunk's
  /// samples.
  private mutating func pass(_ pyramid: ChunkPyramid) -> Bool {
    if pyramid.sampleCount > 0 { addSkipped(before: pyramid) }
    for gap in pyramid.gaps {
      add(
        EnvelopeGap(
          from: seconds(gap.start), to: seconds(gap.end), lost: gap.lost,
          isEstimate: gap.isEstimate, reason: .loss(gap.reason)))
    }
    // Losses after a stream's last sample are stored in a chunk without samples.
    guard pyramid.sampleCount > 0 else { return false }
    skipped.last = (pyramid.lastCounter, pyramid.lastTime)
    isBeyond = place(of: pyramid.clock.first) >= envelope.grid.end + Self.tolerance
    return !isBeyond
  }

  /// Records the gap left by the chunks that were skipped.
  private mutating func addSkipped(before next: ChunkPyramid?) {
    guard
      let (parts, lost) = skipped.end(before: next.map { ($0.firstCounter, $0.lostBeforeFirst) })
    else { return }
    add(
      EnvelopeGap(
        from: skipped.last.map { seconds($0.time) }, to: next.map { seconds($0.clock.first) },
        lost: lost, isEstimate: true, reason: .chunks,
        detail: parts.map(\.description).joined(separator: "; ")))
  }

  private mutating func add(_ gap: EnvelopeGap) {
    if gap.overlaps(envelope.grid) { envelope.gaps.append(gap) }
  }

  /// Converts a time to seconds since the session's start.
  private func seconds(_ time: BootTime) -> Double { Double(place(of: time)) / 1e9 }
}
