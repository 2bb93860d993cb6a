/// An error from a PostgreSQL server, or the reason for a missing answer.
public struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error, by what the caller can do about them.
  public enum Kind: Hashable, Sendable {
    /// There is no connection to a writable server, or it broke. A later attempt may succeed.
    case unreachable
    /// The connection broke, or the standbys did not answer, during a commit. The outcome is
    /// unknown.
    case unknownOutcome
    /// A conflict with another transaction. Repeating the transaction at once may succeed.
    case repeatable
    /// A table or a column is missing.
    case missing
    /// The server's disk is full.
    case full
    /// The user or the password is wrong, or permissions are missing.
    case denied
    /// The server has no database of this name.
    case noDatabase
    /// A table of this name exists, and is not ours.
    case occupied
    /// Anything else.
    case other
  }

  public var kind: Kind
  /// The SQLSTATE; empty without an answer.
  public var state: String
  /// The reason in one line.
  public var description: String
  /// Whether the server did not answer in time, so that nobody should wait again.
  var isTimeout = false

  /// Whether a table could not be created because another program created it at the same time: the
  /// server then finds its row, name or type taken.
  public var isMadeMeanwhile: Bool { ["23505", "42P07", "42710"].contains(state) }

  /// Whether the server rejected the content, such as a value, a rule or the length of a key, and
  /// has no fault itself.
  public var isAboutContent: Bool { ["22", "23", "54"].contains(state.prefix(2)) }

  /// A transaction found its own tables changed; repeating it may succeed.
  public static let tryAgain = PostgresError(.repeatable, "the rows changed meanwhile")

  public init(_ kind: Kind, state: String = "", _ description: String) {
    self.kind = kind
    self.state = state
    self.description = description
  }

  static func kind(ofState state: String) -> Kind {
    switch state {
    // A serialization failure and a deadlock; other engines of this protocol often report the
    // first.
    case "40001", "40P01": .repeatable
    case "42P01", "42703", "3F000": .missing
    case "53100": .full
    case "42501": .denied
    case "3D000": .noDatabase
    case "42P07", "42710": .occupied
    // A server that became a standby, shuts down, starts, or has no connections left.
    case "25006", "57P01", "57P02", "57P03", "53300": .unreachable
    case _ where state.hasPrefix("08"): .unreachable
    case _ where state.hasPrefix("28"): .denied
    default: .other
    }
  }
}
