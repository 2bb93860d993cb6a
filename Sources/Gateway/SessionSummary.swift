internal import ChunkFormat
public import Recording
internal import Statistics
public import Storage

/// What a store has of one session, read from its chunks and not from what the recorder believed.
public struct SessionSummary: Sendable {
  /// One of its boards.
  public struct Board: Hashable, Sendable {
    /// Who it is.
    public var identity: BoardIdentity
    /// Where it was worn when the session began; empty where nobody said.
    public var placement: String
  }

  /// One chunk of a stream.
  public struct StreamChunk: Hashable, Sendable {
    /// What the store says of it.
    public var row: StoredChunk
    /// Bytes it takes.
    public var bytes: Int
    /// Whether it can be read.
    public var isWhole: Bool
  }

  /// One of its streams.
  public struct Stream: Sendable {
    /// The board it came from.
    public var board: BoardIdentity
    /// What it carries.
    public var description: StreamDescription
    /// Its chunks by their place in the stream.
    public var chunks: [StreamChunk] = []
    /// Samples that can be read, those included that are in the tail alone.
    public var samples = 0
    /// Samples that did not get as far as a chunk, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Chunks that were there and are not any more: dropped, or set aside.
    public var missingChunks = 0
    /// Samples per second from the first packet to the last, gaps included; `nil` before there were
    /// two.
    public var achievedRate: Double?

    /// By how many millionths the board's clock was fast against the rate requested, over its chunks;
    /// `nil` without any.
    public var drift: Double?

    /// Samples lost for any reason.
    public var lostCount: UInt64 { lost.values.reduce(0, +) }
  }

  /// The session.
  public var session: Session
  /// Whether somebody is recording it now.
  public var isBeingRecorded: Bool
  /// The last instant of which something is stored, or the end.
  public var end: BootTime
  /// Universal time, as far as it is known.
  public var clock: ClockTable
  /// Its boards by address.
  public var boards: [Board]
  /// Its streams in the order in which they were registered.
  public var streams: [Stream]
  /// Its fixes.
  public var fixes: Int
  /// What it amounts to: as its recorder kept it, or by what is stored where it was cut off or goes on.
  public var statistics: SessionStatistics
  /// Hazards by time.
  public var hazards: [Hazard]
  /// Remarks by time.
  public var annotations: [Annotation]
  /// Events in the order in which they were stored.
  public var events: [SessionEvent]

  /// Seconds from its start to its end, or to the last that is stored.
  public var seconds: Double { max(0, end.seconds(since: session.start)) }

  /// Reads a session of the store at `path`; each chunk is read once, and forgotten.
  public init(of session: Session, in path: String) throws {
    // Before the store, so that what is moved meanwhile is in both and not in neither.
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
    var meter = StatisticsMeter(start: session.start)
    let kept = try reader.statistics(of: session.id)
    streams = []
    for (position, stream) in rest.streams.enumerated() {
      let number =
        kept == nil
        ? meter.add(
          stream.description, of: stream.board.address,
          placement: placements[stream.board.address] ?? "") : nil
      streams.append(
        try Self.read(position, of: rest, from: reader) { chunk in
          if let number { meter.take(chunk, stream: number) }
        })
    }
    fixes = rest.storedFixes + rest.fixes.count
    if kept == nil {
      for first in stride(from: 0, to: rest.storedFixes, by: Self.page) {
        let limit = min(Self.page, rest.storedFixes - first)
        for fix in try reader.fixes(of: session.id, from: first, limit: limit) { meter.take(fix) }
      }
      for fix in rest.fixes { meter.take(fix) }
    }
    statistics = kept ?? meter.statistics(until: end)
    hazards = try reader.hazards(of: session.id)
    annotations = try reader.annotations(of: session.id)
    events = try reader.events(of: session.id)
  }

  /// Fixes that are read at a time.
  private static let page = 1_000

  /// Reads a stream chunk by chunk, each of which is shown to `look`.
  private static func read(
    _ position: Int, of rest: StoreTail.Rest, from reader: borrowing StoreReader,
    _ look: (Chunk) -> Void
  ) throws -> Stream {
    let stored = rest.streams[position]
    var stream = Stream(board: stored.board, description: stored.description)
    var first: BootTime?
    var last: BootTime?
    var followers = 0
    var drifts: (sum: Double, steps: Double) = (0, 0)
    func count(_ chunk: Chunk) {
      look(chunk)
      stream.samples += chunk.count
      for gap in chunk.gaps {
        let (sum, overflow) = stream.lost[gap.reason, default: 0]
          .addingReportingOverflow(gap.lost)
        stream.lost[gap.reason] = overflow ? .max : sum
      }
      if let drift = chunk.clock.drift(against: stored.description.rate), chunk.count > 1 {
        // A short chunk tells little.
        let steps = Double(chunk.counters[chunk.count - 1] &- chunk.counters[0])
        drifts = (drifts.sum + drift * steps, drifts.steps + steps)
      }
      first = first ?? chunk.arrivals.first
      last = chunk.arrivals.last ?? last
      followers += chunk.arrivals.count { $0 != first }
    }
    let newest = rest.lastSequences[position]
    // Chunks that were stored meanwhile are among those of the tail.
    for row in try reader.chunks(of: stored) where newest.map({ row.sequence <= $0 }) ?? false {
      let bytes = try? reader.bytes(ofChunk: row.id)
      let chunk = bytes.flatMap { bytes in try? Chunk(decoding: bytes.span) }
      stream.chunks.append(
        StreamChunk(row: row, bytes: bytes?.count ?? 0, isWhole: chunk != nil))
      if let chunk { count(chunk) }
    }
    for chunk in rest.chunks[position] { count(chunk) }
    if let first, let last, last > first {
      stream.achievedRate = Double(followers) / last.seconds(since: first)
    }
    if drifts.steps > 0 { stream.drift = drifts.sum / drifts.steps }
    // Chunks are numbered without gaps when they are sealed.
    if let newest {
      stream.missingChunks = Int(newest) + 1 - stream.chunks.count
    }
    return stream
  }
}
