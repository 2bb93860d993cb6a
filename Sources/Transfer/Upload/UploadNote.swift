public import Values

/// Something that is on its way to a destination.
public enum UploadSubject: Hashable, Sendable {
  /// A chunk.
  case chunk(UniqueID)
  /// What belongs to a session beside its chunks.
  case session(UniqueID)
}

/// What the store has to know of something that was sent, before anything else counts on it.
public struct UploadNote: Hashable, Sendable {
  /// How it stands.
  public enum Standing: Hashable, Sendable {
    /// The destination holds it.
    case stored
    /// It is kept, shown and not sent again by itself: in these words.
    case parked(String)
    /// The server failed at it, or it is unknown which of the two is to blame; it is sent again.
    case waiting(String)
  }

  /// What it is about.
  public var subject: UploadSubject
  /// How it stands.
  public var standing: Standing
  /// Times that a verdict was spoken on it, this one included.
  public var attempts: Int

  /// A note.
  public init(_ subject: UploadSubject, _ standing: Standing, attempts: Int) {
    self.subject = subject
    self.standing = standing
    self.attempts = attempts
  }
}
