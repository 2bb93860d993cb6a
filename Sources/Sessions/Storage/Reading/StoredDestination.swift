public import Values

/// A destination as the store keeps it, without its secrets.
public struct StoredDestination: Hashable, Sendable {
  /// Its number in this store, for ever: verdicts are kept under it.
  public let number: Int64
  /// What the user calls it; `nil` for one that was removed.
  public let name: String?
  /// What and where it is, as one text. The same place is the same destination, whatever its name.
  public let place: String
  /// What else the user said of it; a text of whoever uploads.
  public let settings: String
  /// When it was first added.
  public let added: UTCTime
  /// Until when nothing is sent to it; `nil` if it does not rest.
  public let restingUntil: UTCTime?
  /// How often in a row it could not be reached.
  public let failures: Int
  /// Why it rests; empty where it does not.
  public let error: String
}

/// How far something is on its way to a destination.
public enum UploadState: UInt8, Hashable, Sendable, CaseIterable {
  /// It has still to be sent, as what nobody said anything about.
  case waiting = 0
  /// The destination has it.
  case sent = 1
  /// The destination does not want it, however often it is sent: it is parked.
  case refused = 2
}

/// A chunk that a destination does not have yet.
public struct WaitingChunk: Hashable, Sendable {
  /// Its number in this store; later chunks have higher ones.
  public let number: Int64
  /// Identifier for ever.
  public let id: UniqueID
  /// Its session.
  public let session: UniqueID
  /// The board of its stream.
  public let board: BoardAddress
  /// The signal of its stream.
  public let signal: String
  /// Its position in the stream.
  public let sequence: UInt32
  /// Samples in it.
  public let sampleCount: Int
  /// Bytes it takes.
  public let byteCount: Int
  /// How often it was tried.
  public let attempts: Int
  /// When the destination failed last at it, or at another chunk of its session that still waits;
  /// `nil` if it did not, or if nobody asked (`StoreReader.nextChunks`).
  public var failed: UTCTime?
}

/// An ended session of which a destination has all chunks, and whose record it may not have as it
/// is now.
public struct UnfinishedSession: Hashable, Sendable {
  /// The session.
  public let id: UniqueID
  /// Changes with everything that is told in its record; it takes no reading of the record.
  public let revision: String
  /// The hash of the record that was sent last; `nil` if none was.
  public let sentContent: [UInt8]?
  /// How often this record was tried since one was taken or refused.
  public let attempts: Int
  /// When the destination failed at it last; `nil` if it did not.
  public let failed: UTCTime?
}

/// The verdict of a destination on one chunk.
public struct ChunkUpload: Hashable, Sendable {
  /// The chunk.
  public var chunk: UniqueID
  /// How far it is.
  public var state: UploadState
  /// How often it was tried.
  public var attempts: Int
  /// The words of the destination, or what failed; empty where nothing did.
  public var error: String

  /// A verdict on a chunk.
  public init(_ chunk: UniqueID, _ state: UploadState, attempts: Int, error: String = "") {
    self.chunk = chunk
    self.state = state
    self.attempts = attempts
    self.error = error
  }
}

/// The verdict of a destination on the record of a session.
public struct SessionUpload: Hashable, Sendable {
  /// How far it is.
  public var state: UploadState
  /// How often it was tried.
  public var attempts: Int
  /// The words of the destination, or what failed; empty where nothing did.
  public var error: String
  /// A hash of the record that the destination has; `nil` if it has none.
  public var content: [UInt8]?
  /// The `UnfinishedSession.revision` that this is about.
  public var revision: String

  /// A verdict on a record. Without a `content`, the one that was noted before stays.
  public init(
    _ state: UploadState, attempts: Int, error: String = "", content: [UInt8]? = nil,
    revision: String
  ) {
    self.state = state
    self.attempts = attempts
    self.error = error
    self.content = content
    self.revision = revision
  }
}

/// What a destination did not want.
public struct ParkedUpload: Hashable, Sendable {
  /// The chunk; `nil` for the record of the session.
  public let chunk: UniqueID?
  /// The session.
  public let session: UniqueID
  /// Whose chunk it is, where it is one: its board, signal and position.
  public let place: Place?
  /// How often it was tried.
  public let attempts: Int
  /// The words of the destination.
  public let error: String
  /// When it was parked.
  public let time: UTCTime

  /// The place of a chunk in its session.
  public struct Place: Hashable, Sendable {
    /// The board of its stream.
    public let board: BoardAddress
    /// The signal of its stream.
    public let signal: String
    /// Its position in the stream.
    public let sequence: UInt32
  }
}

/// How much a destination has, and how much not.
public struct UploadCounts: Hashable, Sendable {
  /// Things with their bytes.
  public struct Amount: Hashable, Sendable {
    /// How many.
    public var count = 0
    /// Their bytes.
    public var bytes: UInt64 = 0

    /// So many, of so many bytes; none without any.
    public init(count: Int = 0, bytes: UInt64 = 0) {
      self.count = count
      self.bytes = bytes
    }
  }

  /// Chunks it has, of those that are still here.
  public var sentChunks = Amount()
  /// Chunks it does not have yet.
  public var waitingChunks = Amount()
  /// Chunks it does not want.
  public var parkedChunks = Amount()
  /// Ended sessions whose record it has as it is now.
  public var sentSessions = 0
  /// Ended sessions whose record it does not have, or had before something was added.
  public var waitingSessions = 0
  /// Ended sessions whose record it does not want.
  public var parkedSessions = 0

  /// None.
  public init() {}
}
