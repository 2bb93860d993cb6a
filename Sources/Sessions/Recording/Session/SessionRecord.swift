public import Values

/// Everything of a session but its samples and the fixes of its track: what a destination gets of
/// it beside the chunks, and from which, with these and the track, every export can be written
/// again.
public struct SessionRecord: Hashable, Sendable {
  /// A stream with the chunks it was sealed into.
  public struct Stream: Hashable, Sendable {
    /// The board it came from.
    public var board: BoardAddress
    /// The signal it carries, and its form.
    public var description: StreamDescription
    /// Its chunks in order, also those that were deleted here after they had been sent.
    public var chunks: [ChunkEntry]
    /// The sequence of the last chunk it ever had, whether that is in `chunks` or not; `nil` if it
    /// never had one.
    public var lastSequence: UInt32?

    /// A stream with the given parts.
    public init(
      board: BoardAddress, description: StreamDescription, chunks: [ChunkEntry],
      lastSequence: UInt32? = nil
    ) {
      self.board = board
      self.description = description
      self.chunks = chunks
      self.lastSequence = lastSequence ?? chunks.last?.sequence
    }

    /// Samples of the chunks in these places, with those that they count as lost.
    public func samples(in places: ClosedRange<UInt32>) -> UInt64 {
      chunks.filter { places.contains($0.sequence) }.reduce(0) { sum, chunk in
        sum.addingSaturated(UInt64(max(0, chunk.sampleCount))).addingSaturated(chunk.lostCount)
      }
    }
  }

  /// The data of a chunk that are known without reading it.
  public struct ChunkEntry: Hashable, Sendable {
    /// Identifier for ever.
    public var id: UniqueID
    /// Position in its stream.
    public var sequence: UInt32
    /// Samples in it.
    public var sampleCount: Int
    /// Samples that its gaps count as lost.
    public var lostCount: UInt64
    /// Time of its first sample.
    public var first: BootTime

    /// An entry with the given parts.
    public init(
      id: UniqueID, sequence: UInt32, sampleCount: Int, lostCount: UInt64, first: BootTime
    ) {
      self.id = id
      self.sequence = sequence
      self.sampleCount = sampleCount
      self.lostCount = lostCount
      self.first = first
    }
  }

  /// The session: who, when, on which boot.
  public var session: Session
  /// Its boards by address, including those that never sent a sample.
  public var boards: [BoardIdentity]
  /// Where boards were worn, as far as the user said it.
  public var placements: [BoardAddress: String]
  /// Its streams in the order in which they were registered.
  public var streams: [Stream]
  /// Number of fixes of its track, which is sent in pieces of its own.
  public var fixCount: Int
  /// The clock entries that date it: its own, or those of other sessions of the same boot.
  public var clock: [ClockTable.Entry]
  /// The hazards that people reported.
  public var hazards: [Hazard]
  /// The annotations, in order of time.
  public var annotations: [Annotation]
  /// Things that happened, in order.
  public var events: [SessionEvent]
  /// Its distance, climb and steps; `nil` where they were not counted.
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
