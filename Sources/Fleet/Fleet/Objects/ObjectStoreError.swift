public import Values

/// Why an S3 service did not do something: what happened, to which object, and the remedy.
public struct ObjectStoreError: Remediable, Hashable {
  /// What the caller can do about it.
  public enum Kind: Hashable, Sendable {
    /// An object has this name already.
    case exists
    /// No object has this name.
    case missing
    /// The object is shorter than the range that was asked for.
    case tooShort
    /// The service is away or busy, and the request was not carried out: try later.
    case unavailable
    /// The connection broke: it was carried out, or not.
    case unknownOutcome
    /// The service refuses us: a person has to look into it.
    case refused
    /// The answer is not that of an S3 service.
    case foreign
  }

  /// What the caller can do about it.
  public var kind: Kind
  /// The failure in one line.
  public var message: String
  /// The remedy, for a person.
  public var remedy: String

  /// An error.
  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// Message and, on an indented second line, remedy.
  public var description: String { "\(message)\n       \(remedy)" }
}
