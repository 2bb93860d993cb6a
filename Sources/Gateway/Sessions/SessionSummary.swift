internal import ChunkFormat
public import Recording
public import Storage
public import Values

/// A stored session's content, computed from its chunks instead of the recorder's counts.
public struct SessionSummary: Sendable {
  public struct Board: Hashable, Sendable {
    public var identity: BoardIdentity
    /// The board's position on the body. Empty if the user specified none.
    public var placement: String
  }

  public struct StreamChunk: Hashable, Sendable {
    public var row: StoredChunk
    /// Size of the chunk in bytes, or `nil` if the chunk was not read.
    public var bytes: Int?
    /// Whether the chunk is readable. A chunk that was not read is assumed to be readable.
    public var isWhole: Bool
  }

  public struct Stream: Sendable {
    public var board: BoardIdentity
    public var description: StreamDescription
    /// The chunks, by index in the stream.
    public var chunks: [StreamChunk] = []
    /// The number of stored samples, including samples that are only in the tail, but excluding
    /// damaged samples.
    public var samples = 0
    /// The number of samples that never reached a chunk, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// The number of lost samples that are only estimated: in gaps without an exact count, and in
    /// missing or damaged chunks.
    public var estimatedLoss: UInt64 = 0
    /// The number of chunks that were deleted from the store or set aside.
    public var missingChunks = 0
    /// The number of samples lost in chunks that are unreadable or missing. If a destination has
    /// stored a missing chunk, only the losses that the chunk itself recorded are included.
    public var lostWithChunks: UInt64 = 0
    /// Average samples per second between the first packet and the last, including gaps. `nil`
    /// before the second packet.
    public var achievedRate: Double?

    /// Drift in ppm of the board's clock relative to the requested rate. Positive if the clock is
    /// fast. Measured over the stream's chunks, or a selection of them if there are many. `nil` if
    /// no chunk is long enough.
    public var drift: Double?

    public var lostCount: UInt64 { lost.values.reduce(lostWithChunks) { $0.addingSaturated($1) } }

    public var lossCertainty: LossCertainty {
      LossCertainty(lost: lostCount, estimated: estimatedLoss, of: description.lossAccounting)
    }

    fileprivate mutating func loseChunk(_ samples: UInt64) {
      lostWithChunks = lostWithChunks.addingSaturated(samples)
      // The loss is only an estimate. An export computes it from the sample numbers before and
      // after the lost chunk, or else from the store's count.
      estimatedLoss = estimatedLoss.addingSaturated(samples)
    }
  }

  public var session: Session
  public var isBeingRecorded: Bool
  /// The session's end, or the time of the last stored data if the session has not ended.
  public var end: BootTime
  /// The pairs of boot time and UTC time that date the session, if any are known.
  public var clock: ClockTable
  /// The boards, ordered by address.
  public var boards: [Board]
  /// The streams in order of registration.
  public var streams: [Stream]
  public var fixes: Int
  /// The statistics as stored by the recorder. For an interrupted or open session, they are
  /// computed from the stored data.
  public var statistics: SessionStatistics
  /// The hazards in chronological order.
  public var hazards: [Hazard]
  /// The annotations in chronological order.
  public var annotations: [Annotation]
  /// The events in the order in which they were stored.
  public var events: [SessionEvent]
  /// The session's tasks in chronological order.
  public var tasks: [TaskFigures]
  /// The boards that were swapped, turned or loose.
  public var mountings: [MountingFault]

  /// Whether more samples may be missing than are counted: the store was damaged, or the session is
  /// still being sent.
  public var hasUnknownLosses: Bool { session.isArriving || events.haveUnknownLosses }
  /// Whether every chunk exists and none was found to be unreadable.
  public var isWhole: Bool {
    !hasUnknownLosses
      && streams.allSatisfy { $0.missingChunks == 0 && $0.chunks.allSatisfy(\.isWhole) }
  }

  /// Seconds from the session's start to its end, or to the last stored data.
  public var seconds: Double { max(0, end.seconds(since: session.start)) }

  /// Summarises a session in the store at `path`.
  ///
  /// A chunk is read only if its row in the store is not sufficient: after a loss, for a task, or
  /// to measure the board's clock from a selection of chunks. All chunks are read, one after the
  /// other, with `readsAll`, or if an interrupted or open session has no stored statistics.
  public init(of session: Session, in path: String, readingAll readsAll: Bool = false) throws {
    // The tail is read before the store. Records that move from the tail to the store between the
    // reads thus appear in both rather than in neither.
    let tail = session.end == nil ? try StoreTail(store: path) : StoreTail()
    let reader = try StoreReader(path: path)
    let rest = try tail.rest(of: session.id, behind: reader)
    self.session = session
    isBeingRecorded = session.end == nil && StoreReader.isBeingRecordedInto(path)
    end = try session.end ?? max(reader.lastTime(of: session.id), rest.lastTime ?? session.start)
    clock = ClockTable(rest.entries)
    let placements = try reader.placements(of: session.id)
    boards = try reader.boards(of: session.id).map {
      Board(identity: $0, placement: placements[$0.address] ?? "")
    }
    events = try reader.events(of: session.id)
    var tasks = TaskMeters(TaskLog(events, until: isBeingRecorded ? nil : end).turns, until: end)
    var meter = StatisticsMeter(start: session.start)
    let kept = try reader.statistics(of: session.id)
    streams = []
    for (position, stream) in rest.streams.enumerated() {
      let number =
        kept == nil ? meter.add(stream.description, of: stream.board.address) : nil
      tasks.add(stream.description, of: stream.board.address)
      streams.append(
        try Self.read(
          position, of: rest, from: reader, readingAll: readsAll || kept == nil,
          for: tasks
        ) { chunk in
          if let number { meter.take(chunk, stream: number) }
          tasks.take(chunk, stream: position)
        })
    }
    fixes = rest.storedFixes + rest.fixes.count
    if kept == nil || !tasks.isEmpty {
      for first in stride(from: 0, to: rest.storedFixes, by: Self.page) {
        let limit = min(Self.page, rest.storedFixes - first)
        for fix in try reader.fixes(of: session.id, from: first, limit: limit) {
          meter.take(fix)
          tasks.take(fix)
        }
      }
      for fix in rest.fixes {
        meter.take(fix)
        tasks.take(fix)
      }
    }
    statistics = kept ?? meter.statistics(until: end)
    hazards = try reader.hazards(of: session.id)
    annotations = try reader.annotations(of: session.id)
    self.tasks = tasks.figures
    mountings = try reader.mountingFaults(of: session)
  }

  /// Number of fixes to read with one query.
  private static let page = 1_000

  /// The number of chunks in a stream, divided by this number, is the distance between the chunks
  /// read to measure the board's clock.
  private static let looks = 32

  /// Reads a stream, including all chunks that the tasks need. `look` is called with each chunk
  /// that is read.
  private static func read(
    _ position: Int, of rest: StoreTail.Rest, from reader: borrowing StoreReader,
    readingAll readsAll: Bool, for tasks: TaskMeters, _ look: (Chunk) -> Void
  ) throws -> Stream {
    let stored = rest.streams[position]
    var tally = StreamTally(
      Stream(board: stored.board, description: stored.description))
    let newest = rest.lastSequences[position]
    // Exclude chunks that were stored after the tail was read: they are also in the tail.
    let rows = try reader.chunks(of: stored).filter { row in
      newest.map { row.sequence <= $0 } ?? false
    }
    let interval = max(1, rows.count / looks)
    for (place, row) in rows.enumerated() {
      // A gap is stored in the chunk that contains the next sample, so the chunks adjacent to a
      // task are read too.
      let isPartOfTask = tasks.need(
        from: place > 0 ? rows[place - 1].first : row.first,
        to: place + 1 < rows.count ? rows[place + 1].first : row.first)
      let isRead =
        readsAll || place % interval == 0 || place == rows.count - 1 || isPartOfTask
      guard isRead || row.lostCount > 0 else {
        tally.take(row)
        continue
      }
      let bytes = try? reader.bytes(ofChunk: row.id)
      if isRead {
        let chunk = bytes.flatMap { bytes in try? Chunk(decoding: bytes.span) }
        tally.take(row, chunk, bytes?.count ?? 0)
        if let chunk { look(chunk) }
      } else {
        tally.take(row, gaps: bytes.flatMap { bytes in try? Chunk.gaps(in: bytes.span) })
      }
    }
    for chunk in rest.chunks[position] {
      tally.take(chunk)
      look(chunk)
    }
    var stream = tally.finished
    // Chunks are numbered consecutively when they are sealed, so every number without a chunk is a
    // missing chunk.
    if let newest {
      stream.missingChunks = Int(newest) + 1 - stream.chunks.count
    }
    stream.loseChunk(try reader.samplesLostWithChunks(of: stored))
    return stream
  }
}

private struct StreamTally {
  private var stream: SessionSummary.Stream
  private var first: BootTime?
  private var last: BootTime?
  /// Number of samples in the first packet. The achieved rate is measured from the arrival of that
  /// packet.
  private var leaders = 0
  private var drift: (sum: Double, steps: Double) = (0, 0)

  init(_ stream: SessionSummary.Stream) {
    self.stream = stream
  }

  /// Adds a chunk without reading it.
  mutating func take(_ row: StoredChunk) {
    stream.chunks.append(SessionSummary.StreamChunk(row: row, bytes: nil, isWhole: true))
    stream.samples += row.sampleCount
  }

  /// Adds a chunk after reading only its gaps. `gaps` is `nil` if they are unreadable.
  mutating func take(_ row: StoredChunk, gaps: [Gap]?) {
    stream.chunks.append(
      SessionSummary.StreamChunk(row: row, bytes: nil, isWhole: gaps != nil))
    guard let gaps else { return lose(row) }
    stream.samples += row.sampleCount
    count(gaps)
  }

  /// Adds a chunk that was read. `chunk` is `nil` if it is unreadable.
  mutating func take(_ row: StoredChunk, _ chunk: Chunk?, _ bytes: Int) {
    stream.chunks.append(
      SessionSummary.StreamChunk(row: row, bytes: bytes, isWhole: chunk != nil))
    if let chunk { take(chunk) } else { lose(row) }
  }

  private mutating func lose(_ row: StoredChunk) {
    stream.loseChunk(UInt64(max(0, row.sampleCount)).addingSaturated(row.lostCount))
  }

  mutating func take(_ chunk: Chunk) {
    stream.samples += chunk.count
    count(chunk.gaps)
    // If the chunk was too short to measure a drift, its clock has the requested rate's period.
    if chunk.count > 1, chunk.clock.period != 1e9 / stream.description.rate,
      let found = chunk.clock.drift(against: stream.description.rate)
    {
      // Weighted by sample intervals, because a short chunk yields an inaccurate drift.
      let steps = Double(chunk.counters[chunk.count - 1] &- chunk.counters[0])
      drift = (drift.sum + found * steps, drift.steps + steps)
    }
    if first == nil {
      first = chunk.arrivals.first
      leaders = chunk.arrivals.count { $0 == first }
    }
    last = chunk.arrivals.last ?? last
  }

  private mutating func count(_ gaps: [Gap]) {
    for gap in gaps {
      stream.lost[gap.reason] = stream.lost[gap.reason, default: 0].addingSaturated(gap.lost)
      if gap.isEstimate {
        stream.estimatedLoss = stream.estimatedLoss.addingSaturated(gap.lost)
      }
    }
  }

  /// The stream with its final totals.
  var finished: SessionSummary.Stream {
    var stream = stream
    if let first, let last, last > first {
      stream.achievedRate = Double(stream.samples - leaders) / last.seconds(since: first)
    }
    if drift.steps > 0 { stream.drift = drift.sum / drift.steps }
    return stream
  }
}
