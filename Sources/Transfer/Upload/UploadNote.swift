public import Values

/// An item to be sent to a destination.
public enum UploadSubject: Hashable, Sendable {
  case chunk(UniqueID)
  /// One session's track and record.
  case session(UniqueID)
}

/// The state of an item that was sent. No other code may rely on this state before it is recorded
/// in the store.
public struct UploadNote: Hashable, Sendable {
  /// An item's upload state.
  public enum Standing: Hashable, Sendable {
    case stored
    /// The item is kept and shown, but not sent again automatically. The text states why.
    case parked(String)
    /// The server failed on the item, or the cause of a failure is unknown. The item will be sent
    /// again.
    case waiting(String)
  }

  public var subject: UploadSubject
  public var standing: Standing
  /// The number of verdicts on this item so far, including the current one.
  public var attempts: Int

  public init(_ subject: UploadSubject, _ standing: Standing, attempts: Int) {
    self.subject = subject
    self.standing = standing
    self.attempts = attempts
  }
}
