public import Values

/// All of a session's data except the samples and the fixes of its track. A destination receives
/// the record together with the chunks. The record, the chunks and the track contain everything
/// needed to repeat any export.
public struct SessionRecord: Hashable, Sendable {
  /// A stream and its sealed chunks.
  public struct Stream: Hashable, Sendable {
    public var board: BoardAddress
    public var description: StreamDescription
    /// The stream's chunks in order, including chunks that were uploaded and then deleted from this
    /// computer.
    public var chunks: [ChunkEntry]
    /// The stream's chunks of which no copy exists, in order: they were set aside as damaged, or
    /// deleted before any destination had received them. Their samples are lost.
    public var gone: [GoneChunk]
    /// The sequence number of the stream's last chunk, even if `chunks` no longer contains that
    /// chunk; `nil` if the stream never had one.
    public var lastSequence: UInt32?

    public init(
      board: BoardAddress, description: StreamDescription, chunks: [ChunkEntry],
      gone: [GoneChunk] = [], lastSequence: UInt32? = nil
    ) {
      self.board = board
      self.description = description
      self.chunks = chunks
      self.gone = gone
      self.lastSequence = lastSequence ?? chunks.last?.sequence
    }

    /// Returns the number of samples, including lost samples, in the chunks whose sequence numbers
    /// are in this range. Chunks of which no copy exists are counted too.
    public func samples(in places: ClosedRange<UInt32>) -> UInt64 {
      var sum: UInt64 = 0
      for chunk in chunks where places.contains(chunk.sequence) {
        sum = sum.addingSaturated(UInt64(max(0, chunk.sampleCount)))
          .addingSaturated(chunk.lostCount)
      }
      for chunk in gone where places.contains(chunk.sequence) {
        sum = sum.addingSaturated(chunk.allSamples)
      }
      return sum
    }
  }

  /// A chunk of which no copy exists, so its samples are lost.
  public struct GoneChunk: Hashable, Sendable {
    public var id: UniqueID
    /// Position of the chunk in its stream.
    public var sequence: UInt32
    public var sampleCount: Int
    /// Number of samples that were already lost when the chunk was stored.
    public var lostCount: UInt64

    public init(id: UniqueID, sequence: UInt32, sampleCount: Int, lostCount: UInt64) {
      self.id = id
      self.sequence = sequence
      self.sampleCount = sampleCount
      self.lostCount = lostCount
    }

    /// Number of samples that were lost with the chunk, including samples that were already lost.
    public var allSamples: UInt64 {
      UInt64(max(0, sampleCount)).addingSaturated(lostCount)
    }
  }

  /// The properties of a chunk that are known without reading its bytes.
  public struct ChunkEntry: Hashable, Sendable {
    public var id: UniqueID
    /// Position of the chunk in its stream.
    public var sequence: UInt32
    public var sampleCount: Int
    /// Number of lost samples in the chunk's gaps.
    public var lostCount: UInt64
    /// Time of the first sample.
    public var first: BootTime

    public init(
      id: UniqueID, sequence: UInt32, sampleCount: Int, lostCount: UInt64, first: BootTime
    ) {
      self.id = id
      self.sequence = sequence
      self.sampleCount = sampleCount
      self.lostCount = lostCount
      self.first = first
    }

    public func describes(_ chunk: ReceivedChunk) -> Bool {
      id == chunk.id && sequence == chunk.sequence && sampleCount == chunk.sampleCount
        && lostCount == chunk.lostCount && first == chunk.first
    }
  }

  public var session: Session
  /// The session's boards, sorted by address, including boards that never sent a sample.
  public var boards: [BoardIdentity]
  /// Boards without a placement are omitted.
  public var placements: [BoardAddress: String]
  /// The session's streams, in the order in which they were registered.
  public var streams: [Stream]
  /// Number of fixes in the track. The track itself is uploaded separately, in pieces.
  public var fixCount: Int
  /// The clock entries that date the session. If none of its own entries is trusted, trusted
  /// entries from other sessions during the same boot are included.
  public var clock: [ClockTable.Entry]
  public var hazards: [Hazard]
  /// The annotations, in chronological order.
  public var annotations: [Annotation]
  /// The session's events, in the order in which they were stored.
  public var events: [SessionEvent]
  /// The session's distance, climb and steps; `nil` if they were not computed.
  public var statistics: SessionStatistics?

  public init(
    session: Session, boards: [BoardIdentity] = [], placements: [BoardAddress: String] = [:],
    streams: [Stream] = [], fixCount: Int = 0, clock: [ClockTable.Entry] = [],
    hazards: [Hazard] = [], annotations: [Annotation] = [], events: [SessionEvent] = [],
    statistics: SessionStatistics? = nil
  ) {
    self.session = session
    self.boards = boards
    self.placements = placements
    self.streams = streams
    self.fixCount = fixCount
    self.clock = clock
    self.hazards = hazards
    self.annotations = annotations
    self.events = events
    self.statistics = statistics
  }
}

extension SessionRecord {
  /// The streams, converted for exports.
  public var sourceStreams: [SourceStream] {
    streams.map { stream in
      SourceStream(
        board: boards.first { $0.address == stream.board }
          ?? BoardIdentity(address: stream.board, name: "", model: "", firmware: ""),
        description: stream.description,
        sampleCount: stream.chunks.reduce(0) { $0 + $1.sampleCount },
        lastSequence: stream.lastSequence)
    }
  }
}
