public import Values

/// A failed request to an S3 service. States what failed, which object was affected, and the
/// remedy.
public struct ObjectStoreError: Remediable, Hashable {
  /// The kinds of failure. Each requires a different reaction from the caller.
  public enum Kind: Hashable, Sendable {
    /// An object with this name already exists.
    case exists
    /// No object has this name.
    case missing
    /// The object is shorter than the requested range.
    case tooShort
    /// The service is down or busy, and did not carry out the request. Try again later.
    case unavailable
    /// The connection broke, so the request may or may not have been carried out.
    case unknownOutcome
    /// The service rejected the request. The setup must be corrected manually.
    case refused
    /// The response did not come from an S3 service.
    case foreign
  }

  public var kind: Kind
  /// The failure, in one line.
  public var message: String
  public var remedy: String

  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(message)\n       \(remedy)" }
}
