internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// The recorder's state for one stream: its chunker, its counts, and its part of the live view.
struct RecordedStream {
  /// Seconds between clock entries for the stream in the tail. The clock estimate usually changes
  /// by only microseconds, but by much more at the start of a stream.
  private static let clockSeconds = 1.0

  private let board: BoardIdentity
  private(set) var totals: RecorderTotals.Stream
  private(set) var live: LiveStatus.Stream
  private var chunker: Chunker
  private var rate = RateMeter()
  private var latest: Reading?
  /// The part of the open chunk that has already been passed to the tail.
  private var tailed = ChunkPosition()
  /// The time when the stream's clock was last written to the tail.
  private var lastClock = BootTime(nanoseconds: 0)
  /// Index of the open chunk in the stream.
  private var tailedChunk: UInt32 = 0
  /// The end of the data already written to the tail: a chunk, and the number of its samples in the
  /// tail.
  private var written: (chunk: UInt32, samples: Int) = (0, 0)
  /// The number of samples stored when the tail's current file began. That file contains all later
  /// samples.
  private var storedBeforeTail: UInt64 = 0

  init(
    board: UInt16, _ identity: BoardIdentity, _ description: StreamDescription, session: Session
  ) {
    self.board = identity
    totals = RecorderTotals.Stream(board: board, description: description)
    live = LiveStatus.Stream(description: description)
    chunker = Chunker(
      session: session.id, bootID: session.bootID, board: identity, stream: description)
  }

  /// Continues a stream from an interrupted session.
  mutating func resume(_ former: InterruptedSession.Stream) {
    chunker.resume(after: former.newest, absences: former.absences, sequence: former.sequence)
    tailedChunk = former.sequence
  }

  var address: BoardAddress { board.address }

  /// The time when the open chunk was started.
  var openedAt: BootTime? { chunker.openedAt }

  /// The stream's first record in the tail: an empty chunk that describes the stream.
  var outline: Chunk { chunker.outline }

  /// Returns the samples since the last write to the tail, or `nil` if no samples have arrived.
  /// With `beginsGroup`, the returned piece includes the stream's clock. Otherwise, it includes the
  /// clock at least once per second: a slow stream may have no samples in any frame that begins a
  /// group.
  mutating func newPiece(at now: BootTime, beginsGroup: Bool) -> ChunkPiece? {
    let withClock =
      beginsGroup || tailed.samples == 0 || now.seconds(since: lastClock) >= Self.clockSeconds
    guard let piece = chunker.piece(from: tailed, withClock: withClock) else { return nil }
    tailed = piece.end
    if withClock { lastClock = now }
    return piece
  }

  /// Returns the entire open chunk, for a new file of the tail.
  mutating func wholePiece(at now: BootTime) -> ChunkPiece? {
    tailed = ChunkPosition()
    return newPiece(at: now, beginsGroup: true)
  }

  /// Returns whether the open chunk must be sealed before this sample is added.
  func ends(before reading: Reading) -> Bool { chunker.ends(before: reading) }

  /// Appends a reading. Returns `true` if the chunk must be sealed because it is full or the
  /// board's numbering has restarted.
  mutating func append(_ reading: Reading) -> Bool {
    switch reading.kind {
    case .sample:
      totals.received += 1
      if totals.firstSample == nil { totals.firstSample = reading.arrival }
      totals.lastSample = reading.arrival
      let outcome = chunker.append(reading)
      if outcome == .duplicate || outcome == .spoiled {
        if outcome == .duplicate { totals.duplicates += 1 }
      } else if reading.arrival != totals.firstSample {
        totals.followers += 1
      }
      rate.take(reading.arrival)
      latest = reading
      return outcome == .full
    case .overflow:
      chunker.note(lost: UInt64(reading.counter), reason: .overflow)
    case .malformed:
      chunker.note(lost: UInt64(reading.counter), reason: .malformed)
    case .linkLost:
      chunker.noteLinkLost()
    case .silent:
      chunker.noteSilence(at: reading.arrival)
    case .tally:
      chunker.tally(reading)
    case .restarted, .rebooted:
      chunker.noteRestart()
      return true
    }
    return false
  }

  /// Skips a sample that arrived during a pause and counts it as lost.
  mutating func skip(_ reading: Reading) {
    chunker.skip(reading)
    rate.take(reading.arrival)
    latest = reading
  }

  /// Converts a reading to a sample for display. `now` is the current time on the boot clock and in
  /// UTC.
  func sample(
    _ reading: Reading, firstSample: BootTime, now: (boot: BootTime, utc: UTCTime)
  ) -> LiveSample {
    let description = totals.description
    return LiveSample(
      board: board, stream: description,
      time: UTCTime(
        nanoseconds: now.utc.nanoseconds &- now.boot.nanoseconds &+ reading.arrival.nanoseconds),
      seconds: reading.arrival.seconds(since: firstSample), number: reading.counter,
      values: (0..<description.axisCount).map { description.value(of: reading.axis($0)) })
  }

  /// Closes the open chunk unless it is empty. Returns the chunk, and the part not yet in the tail.
  mutating func seal(fixes: [Fix]) -> (chunk: Chunk, rest: ChunkPiece?)? {
    guard let chunk = chunker.seal(fixes: fixes) else { return nil }
    return split(chunk)
  }

  /// Closes the open chunk at the end of the stream. After that, the stream's losses are final.
  mutating func finish(at end: BootTime, fixes: [Fix]) -> (chunk: Chunk, rest: ChunkPiece?)? {
    let chunk = chunker.finish(at: end, fixes: fixes)
    totals.lost.merge(chunker.lost) { $0 + $1 }
    totals.estimatedLoss += chunker.estimatedLoss
    guard let chunk else { return nil }
    return split(chunk)
  }

  /// Returns the chunk. If its sample numbers contradict its clock, returns a gap instead, because
  /// readers would reject the chunk.
  mutating func sound(_ chunk: Chunk) -> Chunk {
    guard !chunk.isSound else { return chunk }
    totals.lost[.malformed, default: 0] += UInt64(chunk.count)
    return chunk.lost(as: .malformed)
  }

  private mutating func split(_ chunk: Chunk) -> (chunk: Chunk, rest: ChunkPiece?) {
    let rest = chunk.piece(from: tailed)
    tailed = ChunkPosition()
    tailedChunk = chunk.sequence + 1
    return (chunk, rest)
  }

  /// Records that the samples passed to the tail have been written to its file.
  mutating func noteWritten() {
    written = (tailedChunk, tailed.samples)
  }

  /// Records that a chunk of this stream has been stored.
  mutating func confirmed(_ chunk: Chunk) {
    totals.stored += UInt64(chunk.count)
    totals.chunks += 1
    live.storedChunks += 1
  }

  /// Records that the store rejected a chunk of this stream. Its samples in the tail are recovered
  /// when the store is next opened; the remaining samples are lost.
  mutating func refused(_ chunk: Chunk) {
    let held =
      chunk.sequence < written.chunk
      ? chunk.count : chunk.sequence == written.chunk ? min(chunk.count, written.samples) : 0
    totals.held += UInt64(held)
    guard held < chunk.count else { return }
    totals.lost[.store, default: 0] += UInt64(chunk.count - held)
  }

  /// Records that a new file of the tail was started. The new file contains every sample that is
  /// not stored yet.
  mutating func noteTailBegun() {
    storedBeforeTail = totals.stored
  }

  /// Records that the store's file was deleted. The next recorder moves the samples in the tail to
  /// a new store; the remaining samples are lost.
  mutating func noteStoreGone(hasTail: Bool) {
    let lost = hasTail ? storedBeforeTail : totals.stored
    totals.held += totals.stored - lost
    if lost > 0 { totals.lost[.store, default: 0] += lost }
    totals.stored = 0
    totals.chunks = 0
    if !hasTail { written = (0, 0) }
  }

  /// Updates this stream's part of the live view, once for each status.
  mutating func refreshLive() {
    live.lastSample = latest?.arrival
    if let latest {
      live.latest = (0..<live.description.axisCount)
        .map { live.description.value(of: latest.axis($0)) }
    }
    live.measuredRate = rate.rate
    live.openChunkCount = chunker.openCount
    live.received = totals.received
    live.lost = chunker.lost.merging(totals.lost) { $0 + $1 }
  }
}
