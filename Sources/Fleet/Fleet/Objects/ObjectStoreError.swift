public import Values

/// A failure of an S3 service: what failed, on which object, and the remedy.
public struct ObjectStoreError: Remediable, Hashable {
  /// The kinds of failure, by what the caller can do about them.
  public enum Kind: Hashable, Sendable {
    /// The name is already taken.
    case exists
    /// No object has this name.
    case missing
    /// The object is shorter than the range that was asked for.
    case tooShort
    /// The service is down or busy, and the request was not carried out: try again later.
    case unavailable
    /// The connection broke, so the request may or may not have been carried out.
    case unknownOutcome
    /// The service rejects us: a person has to look into it.
    case refused
    /// The answer is not from an S3 service.
    case foreign
  }

  public var kind: Kind
  /// In one line.
  public var message: String
  public var remedy: String

  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// Message and, on an indented second line, remedy.
  public var description: String { "\(message)\n       \(remedy)" }
}
