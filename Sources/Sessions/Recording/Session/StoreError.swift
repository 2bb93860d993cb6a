public import Values

/// A failure of a store, or of a folder of sessions: operation, file and remedy.
public struct StoreError: Remediable, Hashable {
  public enum Kind: Hashable, Sendable {
    /// The disk, or a quota on it, has no room left.
    case full
    /// Another recorder owns the store.
    case locked
    /// Another connection held the database for longer than this program waits.
    case busy
    /// The content of the file, or of a row, differs from the content that was written.
    case damaged
    /// The store was made by a later version of this program.
    case newerSchema
    /// The file is not a store.
    case notAStore
    /// The file could not be opened as needed: missing, read-only, or not allowed.
    case cannotOpen
    /// The file was deleted, moved or replaced while this program had it open.
    case gone
    /// The requested item is not in the store.
    case unknown
    /// An item contradicts the store's content, such as a second chunk with the same id.
    case refused
    /// The disk failed, or SQLite gave up for another reason.
    case other
  }

  public var kind: Kind
  /// The failure in one line: the operation, its object and the reason.
  public var message: String
  public var remedy: String

  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }
}
