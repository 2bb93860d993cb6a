public import Values

/// A recorded session as exports read it, from any storage.
///
/// Large parts are read in pieces, so that an export needs the same memory for a minute and for a
/// month. An error from a call ends the export.
public protocol SessionSource {
  var session: Session { get }

  /// The session's streams, in a constant order.
  func streams() throws -> [SourceStream]

  /// The first stored chunk with a higher sequence than `sequence` (any, if `nil`) of the stream at
  /// this position of `streams()`; `nil` if there is none.
  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk?

  /// A sequence of this stream after which all samples from `time` on are found, so that earlier
  /// chunks need not be read; `nil` to begin with the first.
  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32?

  /// Placements of boards, as far as the user gave them.
  func placements() throws -> [BoardAddress: String]

  /// The number of samples in this stream's missing chunks in these places, including the samples
  /// that those chunks counted as lost; `nil` if unknown.
  func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64?

  /// Fixes in order of arrival: at most `limit`, beginning with number `first`. Fewer than `limit`
  /// means that there are no more.
  func fixes(from first: Int, limit: Int) throws -> [Fix]

  func clockEntries() throws -> [ClockTable.Entry]

  /// The hazards that people reported.
  func hazards() throws -> [Hazard]

  /// The annotations, in order of time.
  func annotations() throws -> [Annotation]

  /// The events of the session, in order. They are few compared with samples.
  func events() throws -> [SessionEvent]
}

extension SessionSource {
  /// Whether an unknown number of samples is missing: the store was damaged, or the session is
  /// still being sent.
  public func hasUnknownLosses() throws -> Bool {
    try session.isArriving || events().haveUnknownLosses
  }
}

/// Defaults for sources that lack these data.
extension SessionSource {
  /// Beginning with the first chunk is always correct.
  public func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? { nil }

  /// The number is unknown.
  public func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64? { nil }

  public func placements() throws -> [BoardAddress: String] { [:] }

  public func hazards() throws -> [Hazard] { [] }

  public func annotations() throws -> [Annotation] { [] }

  public func events() throws -> [SessionEvent] { [] }
}

/// A stream of a session to be exported.
public struct SourceStream: Hashable, Sendable {
  /// The board it came from.
  public var board: BoardIdentity
  /// Its signal and the form of its samples.
  public var description: StreamDescription
  /// Number of stored samples.
  public var sampleCount: Int
  /// The sequence of the last chunk that the stream ever had, even if the chunk is gone; `nil` if
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

/// A stored chunk, not yet checked.
public struct SourceChunk: Hashable, Sendable {
  /// Position in its stream, according to the store.
  public var sequence: UInt32
  /// Number of its samples, according to the store.
  public var sampleCount: Int
  /// Number of samples that it counts as lost, according to the store.
  public var lostCount: UInt64
  /// The entry of the record that lists it, which it must match; `nil` in a store, whose rows were
  /// made from the chunks.
  public var entry: SessionRecord.ChunkEntry?
  /// The chunk's bytes.
  public var bytes: [UInt8]

  public init(sequence: UInt32, sampleCount: Int, lostCount: UInt64, bytes: [UInt8]) {
    self.sequence = sequence
    self.sampleCount = sampleCount
    self.lostCount = lostCount
    self.bytes = bytes
  }

  /// A chunk that a record lists.
  public init(_ entry: SessionRecord.ChunkEntry, bytes: [UInt8]) {
    self.init(
      sequence: entry.sequence, sampleCount: entry.sampleCount, lostCount: entry.lostCount,
      bytes: bytes)
    self.entry = entry
  }
}
