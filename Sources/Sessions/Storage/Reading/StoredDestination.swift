public import Values

/// A destination as the store describes it, without its secrets.
public struct StoredDestination: Hashable, Sendable {
  /// The permanent number of the destination in this store, by which verdicts refer to it.
  public let number: Int64
  /// The user's name for the destination; `nil` for a removed one.
  public let name: String?
  /// Kind and place of the destination, as one text. The same place is the same destination,
  /// whatever its name.
  public let place: String
  /// The user's other settings, as a text of the upload code.
  public let settings: String
  /// Time at which the destination was first added.
  public let added: UTCTime
  /// Time until which nothing is sent to the destination; `nil` if it is not paused.
  public let restingUntil: UTCTime?
  /// Consecutive failures to reach the destination.
  public let failures: Int
  /// The reason for the pause; empty without one.
  public let error: String

  /// The remedy if the store has no destination of this name.
  public static func addition(of name: String) -> String {
    "add it with 'footbridge destination add \(ShellText.quoted(name)) --http https://HOST'"
  }
}

/// The upload state of an item at a destination.
public enum UploadState: UInt8, Hashable, Sendable, CaseIterable {
  /// The item is still to be sent; this is the default.
  case waiting = 0
  /// The destination has the item.
  case sent = 1
  /// The destination refuses the item permanently: it is parked.
  case refused = 2
}

/// A chunk that a destination does not have yet.
public struct WaitingChunk: Hashable, Sendable {
  /// Number of the chunk in this store; later chunks have higher numbers.
  public let number: Int64
  /// Permanent identifier.
  public let id: UniqueID
  public let session: UniqueID
  /// The board of its stream.
  public let board: BoardAddress
  /// The signal of its stream.
  public let signal: String
  /// Position of the chunk in the stream.
  public let sequence: UInt32
  /// Number of samples.
  public let sampleCount: Int
  /// Number of bytes.
  public let byteCount: Int
  public let attempts: Int
  /// Time at which the destination last failed at the chunk, or at another waiting chunk of its
  /// session; `nil` if it did not, or if the caller did not ask (`StoreReader.nextChunks`).
  public var failed: UTCTime?
}

/// An ended session whose chunks a destination has all accepted or refused, and whose present
/// record it may lack.
public struct UnfinishedSession: Hashable, Sendable {
  public let id: UniqueID
  /// Changes with every part of the session's record; computed without reading the record.
  public let revision: String
  /// The hash of the record that was last sent; `nil` if none was sent.
  public let sentContent: [UInt8]?
  /// Number of attempts at this record since one was accepted or refused.
  public let attempts: Int
  /// Time at which the destination last failed at the record; `nil` if it did not.
  public let failed: UTCTime?
}

/// The verdict of a destination on one chunk.
public struct ChunkUpload: Hashable, Sendable {
  public var chunk: UniqueID
  public var state: UploadState
  public var attempts: Int
  /// The error text of the destination, or the failure; empty without a failure.
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
  public var state: UploadState
  public var attempts: Int
  /// The error text of the destination, or the failure; empty without a failure.
  public var error: String
  /// A hash of the record at the destination; `nil` if there is none.
  public var content: [UInt8]?
  /// The `UnfinishedSession.revision` of this verdict.
  public var revision: String

  /// A verdict on a record. Without a `content`, the noted hash stays.
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

/// An item that a destination refused.
public struct ParkedUpload: Hashable, Sendable {
  /// The chunk; `nil` for the record of the session.
  public let chunk: UniqueID?
  public let session: UniqueID
  /// Board, signal and position of the chunk; `nil` for a record.
  public let place: Place?
  public let attempts: Int
  /// The error text of the destination.
  public let error: String
  /// Time at which the item was parked.
  public let time: UTCTime

  /// The place of a chunk in its session.
  public struct Place: Hashable, Sendable {
    /// The board of its stream.
    public let board: BoardAddress
    /// The signal of its stream.
    public let signal: String
    /// Position of the chunk in the stream.
    public let sequence: UInt32
  }
}

/// The items that a destination has, lacks and refused.
public struct UploadCounts: Hashable, Sendable {
  /// A number of items and their bytes.
  public struct Amount: Hashable, Sendable {
    /// Number of items.
    public var count = 0
    public var bytes: UInt64 = 0

    /// The given numbers of items and bytes, by default none.
    public init(count: Int = 0, bytes: UInt64 = 0) {
      self.count = count
      self.bytes = bytes
    }
  }

  /// Stored chunks that the destination has.
  public var sentChunks = Amount()
  /// Chunks that the destination still lacks.
  public var waitingChunks = Amount()
  /// Chunks that the destination refused.
  public var parkedChunks = Amount()
  /// Ended sessions whose present record the destination has.
  public var sentSessions = 0
  /// Ended sessions without a record at the destination, or with an outdated one.
  public var waitingSessions = 0
  /// Ended sessions whose record the destination refused.
  public var parkedSessions = 0

  /// Counts of zero.
  public init() {}
}
