public import Values

/// A recorded session as an export sees it, wherever it is stored.
///
/// Everything large is asked for in pieces, so that an export needs the same memory for a minute
/// and for a month. An error that a call throws ends the export.
public protocol SessionSource {
  /// The session.
  var session: Session { get }

  /// Its streams, in an order that stays the same.
  func streams() throws -> [SourceStream]

  /// The first stored chunk with a higher sequence than `sequence` (any, if `nil`) of the stream
  /// at this position of `streams()`; `nil` when there is none.
  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk?

  /// A sequence of this stream after which all samples from `time` on are found, so that those
  /// before need not be read; `nil` to begin with the first.
  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32?

  /// Where boards were worn, as far as the user said it.
  func placements() throws -> [BoardAddress: String]

  /// How many samples the chunks had that this stream should have in these places and has not, with
  /// those that they counted as lost; `nil` where nothing is known of them.
  func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64?

  /// Fixes in order of arrival: at most `limit`, beginning with number `first`. Fewer than `limit`
  /// mean that there are no more.
  func fixes(from first: Int, limit: Int) throws -> [Fix]

  /// All clock entries.
  func clockEntries() throws -> [ClockTable.Entry]

  /// The hazards that people reported.
  func hazards() throws -> [Hazard]

  /// The annotations, in order of time.
  func annotations() throws -> [Annotation]

  /// Things that happened, in order. They are rare beside samples.
  func events() throws -> [SessionEvent]
}

/// The answers of a source that knows nothing of these.
extension SessionSource {
  /// To begin with the first chunk is never wrong.
  public func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? { nil }

  /// Nothing is known of chunks that are not there.
  public func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64? { nil }

  /// No placements.
  public func placements() throws -> [BoardAddress: String] { [:] }

  /// No hazards.
  public func hazards() throws -> [Hazard] { [] }

  /// No annotations.
  public func annotations() throws -> [Annotation] { [] }

  /// No events.
  public func events() throws -> [SessionEvent] { [] }
}

/// A stream of a session to be exported.
public struct SourceStream: Hashable, Sendable {
  /// The board it came from.
  public var board: BoardIdentity
  /// The signal it carries, and its form.
  public var description: StreamDescription
  /// Samples stored of it.
  public var sampleCount: Int
  /// The sequence of the last chunk it ever had, even if that is gone; `nil` where it is not known.
  public var lastSequence: UInt32?

  /// A stream with the given parts.
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

/// A chunk as it was stored, not yet checked.
public struct SourceChunk: Hashable, Sendable {
  /// Position in its stream, as the store has it.
  public var sequence: UInt32
  /// How many samples the store says are in it.
  public var sampleCount: Int
  /// How many samples it counts as lost, by the same source.
  public var lostCount: UInt64
  /// Its bytes.
  public var bytes: [UInt8]

  /// A chunk with the given parts.
  public init(sequence: UInt32, sampleCount: Int, lostCount: UInt64, bytes: [UInt8]) {
    self.sequence = sequence
    self.sampleCount = sampleCount
    self.lostCount = lostCount
    self.bytes = bytes
  }
}
