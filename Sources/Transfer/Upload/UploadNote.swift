public import Values

/// An item on its way to a destination.
public enum UploadSubject: Hashable, Sendable {
  case chunk(UniqueID)
  /// The parts of a session other than its chunks.
  case session(UniqueID)
}

/// The state of a sent item, which the store must record before anything else relies on it.
public struct UploadNote: Hashable, Sendable {
  /// The state of an item.
  public enum Standing: Hashable, Sendable {
    /// The destination holds it.
    case stored
    /// The item is kept and shown, but not sent again by itself, for this reason.
    case parked(String)
    /// The server failed at the item, or it is unknown whether the server or the item is to blame.
    /// It is sent again.
    case waiting(String)
  }

  public var subject: UploadSubject
  /// The item's state.
  public var standing: Standing
  /// The number of verdicts on the item, including this one.
  public var attempts: Int

  public init(_ subject: UploadSubject, _ standing: Standing, attempts: Int) {
    self.subject = subject
    self.standing = standing
    self.attempts = attempts
  }
}
