public import Values

/// A failure of a store or a session folder, with a message and a remedy.
public struct StoreError: Remediable, Hashable {
  public enum Kind: Hashable, Sendable {
    /// The disk is full, or a quota is exhausted.
    case full
    /// Another recorder owns the store.
    case locked
    /// Another connection kept the database locked until this program's timeout expired.
    case busy
    /// The contents of the file or of a row differ from the data that was written.
    case damaged
    /// A later version of this program created the store.
    case newerSchema
    /// The file is not a store.
    case notAStore
    /// The file is missing, read-only, or not accessible to this user.
    case cannotOpen
    /// The file was deleted, moved or replaced while this program was using it.
    case gone
    /// The store does not contain the requested item.
    case unknown
    /// The item contradicts the store's contents, such as a second chunk with the same id.
    case refused
    /// The disk failed, or SQLite reported another error.
    case other
  }

  public var kind: Kind
  /// A one-line description of the failure: the operation, its object and the reason.
  public var message: String
  public var remedy: String

  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }
}
