internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// One stream in the recorder: its chunker, its counts, and its part of the live view.
struct RecordedStream {
  /// Seconds from one entry of the stream's clock in the tail to the next. The estimate of that
  /// clock changes by microseconds, but by much more while a stream is young.
  private static let clockSeconds = 1.0

  private let board: BoardIdentity
  private(set) var totals: RecorderTotals.Stream
  private(set) var live: LiveStatus.Stream
  private var chunker: Chunker
  private var rate = RateMeter()
  private var latest: Reading?
  /// How much of the open chunk was handed to the tail.
  private var tailed = ChunkPosition()
  /// When the tail last received the relation of times to sample numbers.
  private var lastClock = BootTime(nanoseconds: 0)
  /// Position of the open chunk in the stream.
  private var tailedChunk: UInt32 = 0
  /// How far the tail has been written: a chunk and the number of its samples in the tail.
  private var written: (chunk: UInt32, samples: Int) = (0, 0)
  /// How many samples were stored when the present file of the tail began, which has all later
  /// ones.
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

  /// Continues a stream of an interrupted session.
  mutating func resume(_ former: InterruptedSession.Stream) {
    chunker.resume(after: former.newest, absences: former.absences, sequence: former.sequence)
    tailedChunk = former.sequence
  }

  /// Address of its board.
  var address: BoardAddress { board.address }

  /// When the open chunk began.
  var openedAt: BootTime? { chunker.openedAt }

  /// The stream without samples, the first record of the stream in the tail.
  var outline: Chunk { chunker.outline }

  /// The samples since the last write to the tail; `nil` if there are none. The piece carries the
  /// clock of its samples if it can be read by itself, and otherwise at least once a second. A slow
  /// stream may never have samples in the frame that begins a group.
  mutating func newPiece(at now: BootTime, beginsGroup: Bool) -> ChunkPiece? {
    let withClock =
      beginsGroup || tailed.samples == 0 || now.seconds(since: lastClock) >= Self.clockSeconds
    guard let piece = chunker.piece(from: tailed, withClock: withClock) else { return nil }
    tailed = piece.end
    if withClock { lastClock = now }
    return piece
  }

  /// All of the open chunk, for a new file of the tail.
  mutating func wholePiece(at now: BootTime) -> ChunkPiece? {
    tailed = ChunkPosition()
    return newPiece(at: now, beginsGroup: true)
  }

  /// Whether the chunk has to be sealed before a sample.
  func ends(before reading: Reading) -> Bool { chunker.ends(before: reading) }

  /// Appends a reading. Returns `true` when the chunk has to be sealed: it is full, or the board's
  /// numbering begins again.
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

  /// Leaves out a sample that came during a pause: it counts as lost.
  mutating func skip(_ reading: Reading) {
    chunker.skip(reading)
    rate.take(reading.arrival)
    latest = reading
  }

  /// A reading as a sample for display; `now` are both clocks at one instant.
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

  /// Closes the open chunk, if it holds anything, and returns the part that is not in the tail yet.
  mutating func seal(fixes: [Fix]) -> (chunk: Chunk, rest: ChunkPiece?)? {
    guard let chunk = chunker.seal(fixes: fixes) else { return nil }
    return split(chunk)
  }

  /// Closes the open chunk at the end of the stream, whose losses are final from now on.
  mutating func finish(at end: BootTime, fixes: [Fix]) -> (chunk: Chunk, rest: ChunkPiece?)? {
    let chunk = chunker.finish(at: end, fixes: fixes)
    totals.lost.merge(chunker.lost) { $0 + $1 }
    totals.estimatedLoss += chunker.estimatedLoss
    guard let chunk else { return nil }
    return split(chunk)
  }

  /// Returns the chunk, or a gap in its place if its numbers contradict its clock. No reader
  /// accepts such a chunk.
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

  /// The samples handed to the tail are in its file now.
  mutating func noteWritten() {
    written = (tailedChunk, tailed.samples)
  }

  /// The store has a chunk of this stream.
  mutating func confirmed(_ chunk: Chunk) {
    totals.stored += UInt64(chunk.count)
    totals.chunks += 1
    live.storedChunks += 1
  }

  /// The store could not take a chunk of this stream. The next opening of the store takes in the
  /// samples that the tail has; the others are lost.
  mutating func refused(_ chunk: Chunk) {
    let held =
      chunk.sequence < written.chunk
      ? chunk.count : chunk.sequence == written.chunk ? min(chunk.count, written.samples) : 0
    totals.held += UInt64(held)
    guard held < chunk.count else { return }
    totals.lost[.store, default: 0] += UInt64(chunk.count - held)
  }

  /// A new file of the tail has begun, and every sealed chunk is stored.
  mutating func noteTailBegun() {
    storedBeforeTail = totals.stored
  }

  /// The store's file has gone. The next recorder takes the samples of the tail into a new store;
  /// the others are lost.
  mutating func noteStoreGone(hasTail: Bool) {
    let lost = hasTail ? storedBeforeTail : totals.stored
    totals.held += totals.stored - lost
    if lost > 0 { totals.lost[.store, default: 0] += lost }
    totals.stored = 0
    totals.chunks = 0
    if !hasTail { written = (0, 0) }
  }

  /// Brings the live view up to date, once a round.
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
