public import Values

/// All data of a session except its samples and the fixes of its track. A destination receives the
/// record together with the chunks. Record, chunks and track are enough to write every export
/// again.
public struct SessionRecord: Hashable, Sendable {
  /// A stream and its sealed chunks.
  public struct Stream: Hashable, Sendable {
    /// The board it came from.
    public var board: BoardAddress
    /// Its signal and the form of its samples.
    public var description: StreamDescription
    /// The stream's chunks in order, including chunks that were sent and then deleted here.
    public var chunks: [ChunkEntry]
    /// The sequence of the last chunk that the stream ever had, whether `chunks` contains it or
    /// not; `nil` if it never had one.
    public var lastSequence: UInt32?

    public init(
      board: BoardAddress, description: StreamDescription, chunks: [ChunkEntry],
      lastSequence: UInt32? = nil
    ) {
      self.board = board
      self.description = description
      self.chunks = chunks
      self.lastSequence = lastSequence ?? chunks.last?.sequence
    }

    /// Samples of the chunks in these places, including lost ones.
    public func samples(in places: ClosedRange<UInt32>) -> UInt64 {
      chunks.filter { places.contains($0.sequence) }.reduce(0) { sum, chunk in
        sum.addingSaturated(UInt64(max(0, chunk.sampleCount))).addingSaturated(chunk.lostCount)
      }
    }
  }

  /// The data of a chunk that are known without reading its bytes.
  public struct ChunkEntry: Hashable, Sendable {
    /// Permanent identifier.
    public var id: UniqueID
    /// Position of the chunk in its stream.
    public var sequence: UInt32
    /// Number of samples.
    public var sampleCount: Int
    /// Lost samples in its gaps.
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

    /// Whether this entry describes the chunk.
    public func describes(_ chunk: ReceivedChunk) -> Bool {
      id == chunk.id && sequence == chunk.sequence && sampleCount == chunk.sampleCount
        && lostCount == chunk.lostCount && first == chunk.first
    }
  }

  /// The session: identity, wearer, times and boot.
  public var session: Session
  /// Its boards by address, including boards that never sent a sample.
  public var boards: [BoardIdentity]
  /// Placements of boards, as far as the user gave them.
  public var placements: [BoardAddress: String]
  /// The session's streams in the order of their registration.
  public var streams: [Stream]
  /// Number of fixes of the track, which is sent separately in pieces.
  public var fixCount: Int
  /// The clock entries that date the session: its own, and if none of them is trusted, the trusted
  /// ones of other sessions of the same boot.
  public var clock: [ClockTable.Entry]
  /// The hazards that people reported.
  public var hazards: [Hazard]
  /// The annotations, in order of time.
  public var annotations: [Annotation]
  /// The events of the session, in order.
  public var events: [SessionEvent]
  /// The session's distance, climb and steps; `nil` if they were not counted.
  public var statistics: SessionStatistics?

  /// A record of a session; members that are not given are empty.
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
  /// The streams as exports see them.
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
