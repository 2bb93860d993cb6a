public import Values

/// A failure of a store, or of a folder of sessions: the operation, the file and the remedy.
public struct StoreError: Remediable, Hashable {
  /// The kind, which callers distinguish.
  public enum Kind: Hashable, Sendable {
    /// The disk, or a quota on it, has no room left.
    case full
    /// Another recorder owns the store.
    case locked
    /// Another connection held the database for longer than this program waits.
    case busy
    /// The content of the file, or of a row, differs from the written content.
    case damaged
    /// The store was made by a later version of this program.
    case newerSchema
    /// The file is some other file.
    case notAStore
    /// The file could not be opened as needed: missing, read-only, or not allowed.
    case cannotOpen
    /// The file was deleted, moved or replaced while this program had it open.
    case gone
    /// The requested item is not in the store.
    case unknown
    /// An item contradicts the store's content, such as one chunk twice.
    case refused
    /// The disk failed, or SQLite gave up for another reason.
    case other
  }

  /// The kind, which callers distinguish.
  public var kind: Kind
  /// The failure in one line: the operation, its object and the reason.
  public var message: String
  /// The remedy, for a person.
  public var remedy: String

  /// An error with the given parts.
  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }
}
