public import Values

/// Gives exports access to a recorded session, independent of its storage.
///
/// Large amounts of data are read in pages, so exporting a month needs no more memory than
/// exporting a minute. An error thrown by any method ends the export.
public protocol SessionSource {
  var session: Session { get }

  /// Returns the session's streams, always in the same order.
  func streams() throws -> [SourceStream]

  /// Returns the stored chunk with the lowest sequence number above `sequence`, for the stream at
  /// this index in `streams()`; `nil` if there is none. If `sequence` is `nil`, returns the
  /// stream's first stored chunk.
  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk?

  /// Returns the sequence number of a chunk that precedes all samples of this stream from `time`
  /// onwards, so that earlier chunks need not be read. Returns `nil` if reading must start with the
  /// first chunk.
  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32?

  /// Omits boards without a placement.
  func placements() throws -> [BoardAddress: String]

  /// Returns the number of samples in this stream's missing chunks within a range of sequence
  /// numbers, including samples that the chunks themselves counted as lost; `nil` if unknown.
  func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64?

  /// Returns up to `limit` fixes in order of arrival, beginning with fix number `first`. If fewer
  /// are returned, no fixes follow.
  func fixes(from first: Int, limit: Int) throws -> [Fix]

  func clockEntries() throws -> [ClockTable.Entry]

  func hazards() throws -> [Hazard]

  /// Returns the annotations, in chronological order.
  func annotations() throws -> [Annotation]

  /// Returns the session's events, in order. There are far fewer events than samples.
  func events() throws -> [SessionEvent]
}

extension SessionSource {
  /// Whether an unknown number of samples is missing: the store was damaged, or the session
  /// is still being sent.
  public func hasUnknownLosses() throws -> Bool {
    try session.isArriving || events().haveUnknownLosses
  }
}

/// Default implementations for sources that lack this data.
extension SessionSource {
  /// Returns `nil`, since starting with the first chunk is always correct.
  public func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? { nil }

  /// Returns `nil`, since the number is unknown.
  public func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64? { nil }

  public func placements() throws -> [BoardAddress: String] { [:] }

  public func hazards() throws -> [Hazard] { [] }

  public func annotations() throws -> [Annotation] { [] }

  public func events() throws -> [SessionEvent] { [] }
}

/// A session's stream, with the properties that exports need.
public struct SourceStream: Hashable, Sendable {
  public var board: BoardIdentity
  public var description: StreamDescription
  /// Number of stored samples.
  public var sampleCount: Int
  /// The sequence number of the stream's last chunk, even if that chunk was deleted; `nil` if
  /// unknown.
  public var lastSequence: UInt32?

  public init(
    board: BoardIdentity, description: StreamDescription, sampleCount: Int,
    lastSequence: UInt32? = nil
  ) {
    self.board = board
    self.description = description
    self.sampleCount = sampleCount
    self.lastSequence = lastSequence
  }
}

/// A stored chunk whose bytes have not been verified yet.
public struct SourceChunk: Hashable, Sendable {
  /// Position of the chunk in its stream, according to the store.
  public var sequence: UInt32
  /// Number of samples in the chunk, according to the store.
  public var sampleCount: Int
  /// Number of samples that the chunk counts as lost, according to the store.
  public var lostCount: UInt64
  /// The record's entry for the chunk, which the chunk must match. `nil` for a chunk read from a
  /// store, since the store's rows were created from the chunks themselves.
  public var entry: SessionRecord.ChunkEntry?
  public var bytes: [UInt8]

  public init(sequence: UInt32, sampleCount: Int, lostCount: UInt64, bytes: [UInt8]) {
    self.sequence = sequence
    self.sampleCount = sampleCount
    self.lostCount = lostCount
    self.bytes = bytes
  }

  public init(_ entry: SessionRecord.ChunkEntry, bytes: [UInt8]) {
    self.init(
      sequence: entry.sequence, sampleCount: entry.sampleCount, lostCount: entry.lostCount,
      bytes: bytes)
    self.entry = entry
  }
}
