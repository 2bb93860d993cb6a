public import Values

/// An upload destination as described in the store, without its secrets.
public struct StoredDestination: Hashable, Sendable {
  /// The destination's permanent number in this store. Upload states refer to it.
  public let number: Int64
  /// The destination's user-defined name; `nil` if the destination was removed.
  public let name: String?
  /// Kind and address of the destination, as a single string. Entries with the same string refer to
  /// the same destination, even if their names differ.
  public let place: String
  /// The user's other settings, as a string in a format that the upload code defines.
  public let settings: String
  public let added: UTCTime
  /// Time until which uploads to the destination are paused; `nil` if they are not paused.
  public let restingUntil: UTCTime?
  /// Number of consecutive attempts that failed to reach the destination.
  public let failures: Int
  /// The reason why uploads are paused; empty if they are not paused.
  public let error: String

  /// Returns the remedy to show if no destination in the usual store, or in `store`, has this name.
  public static func addition(of name: String, to store: String? = nil) -> String {
    let words = ["footbridge", "destination", "add", name] + (store.map { ["--store", $0] } ?? [])
    return "add it with '\(ShellText.list(words))' and --http, --firestore or --folder"
  }
}

/// An item's upload state at a destination.
public enum UploadState: UInt8, Hashable, Sendable, CaseIterable {
  /// The item has yet to be uploaded. This is the default.
  case waiting = 0
  /// The destination has received and stored the item.
  case sent = 1
  /// The destination permanently refuses the item, so the item is parked.
  case refused = 2
}

/// A chunk that has yet to be uploaded to a destination.
public struct WaitingChunk: Hashable, Sendable {
  /// The chunk's number in this store. Chunks that were stored later have higher numbers.
  public let number: Int64
  public let id: UniqueID
  public let session: UniqueID
  public let board: BoardAddress
  public let signal: String
  /// Position of the chunk in the stream.
  public let sequence: UInt32
  public let sampleCount: Int
  public let byteCount: Int
  public let attempts: Int
  /// Time of the last failed attempt to upload this chunk, or another waiting chunk of the same
  /// session, to the destination. `nil` if there was no failure, or if the chunk was not obtained
  /// from `StoreReader.nextChunks`.
  public var failed: UTCTime?
}

/// An ended session with a record that may need to be uploaded to a destination. The destination
/// has already accepted or refused all chunks of the session.
public struct UnfinishedSession: Hashable, Sendable {
  public let id: UniqueID
  /// A string that changes whenever any part of the session's record changes. It is computed
  /// without reading the record.
  public let revision: String
  /// The hash of the record that was last uploaded; `nil` if no record was uploaded.
  public let sentContent: [UInt8]?
  /// Number of attempts to upload this record since a record was last accepted or refused.
  public let attempts: Int
  /// Time at which the last upload of the record failed; `nil` if it did not fail.
  public let failed: UTCTime?
}

/// The result of uploading a chunk to a destination.
public struct ChunkUpload: Hashable, Sendable {
  public var chunk: UniqueID
  public var state: UploadState
  public var attempts: Int
  /// The error message from the destination, or the reason for a local failure; empty if there was
  /// no error.
  public var error: String

  public init(_ chunk: UniqueID, _ state: UploadState, attempts: Int, error: String = "") {
    self.chunk = chunk
    self.state = state
    self.attempts = attempts
    self.error = error
  }
}

/// The result of uploading a session's record to a destination.
public struct SessionUpload: Hashable, Sendable {
  public var state: UploadState
  public var attempts: Int
  /// The error message from the destination, or the reason for a local failure; empty if there was
  /// no error.
  public var error: String
  /// The hash of the record that the destination stores; `nil` if it stores none.
  public var content: [UInt8]?
  /// The `UnfinishedSession.revision` to which this result applies.
  public var revision: String

  /// Creates the result of uploading a record. If `content` is `nil`, the stored hash does not
  /// change.
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

/// An item that a destination permanently refused.
public struct ParkedUpload: Hashable, Sendable {
  /// The chunk; `nil` if the item is the session's record.
  public let chunk: UniqueID?
  public let session: UniqueID
  /// Board, signal and position of the chunk; `nil` for a record.
  public let place: Place?
  public let attempts: Int
  /// The error message with which the destination refused the item.
  public let error: String
  /// Time at which the item was parked.
  public let time: UTCTime

  /// The position of a chunk within its session.
  public struct Place: Hashable, Sendable {
    public let board: BoardAddress
    public let signal: String
    /// Position of the chunk in the stream.
    public let sequence: UInt32
  }
}

/// The numbers of items that a destination has received, has yet to receive, and has refused.
public struct UploadCounts: Hashable, Sendable {
  /// The number of items, and their total size in bytes.
  public struct Amount: Hashable, Sendable {
    public var count = 0
    public var bytes: UInt64 = 0

    public init(count: Int = 0, bytes: UInt64 = 0) {
      self.count = count
      self.bytes = bytes
    }
  }

  /// Stored chunks that the destination has received.
  public var sentChunks = Amount()
  /// Chunks that the destination has yet to receive.
  public var waitingChunks = Amount()
  /// Chunks that the destination refused.
  public var parkedChunks = Amount()
  /// Number of ended sessions whose current record the destination has received.
  public var sentSessions = 0
  /// Number of ended sessions whose record at the destination is missing or outdated.
  public var waitingSessions = 0
  /// Number of ended sessions whose record the destination refused.
  public var parkedSessions = 0

  public init() {}
}
