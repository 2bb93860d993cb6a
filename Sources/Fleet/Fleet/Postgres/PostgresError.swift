/// What a PostgreSQL server answered instead of a result, or why there was no answer.
public struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the caller can do about it.
  public enum Kind: Hashable, Sendable {
    /// There is no connection to a server that may be written, or it broke. A later attempt may
    /// find one.
    case unreachable
    /// The connection broke, or the standbys did not answer, while a transaction was being
    /// committed: whether it was is unknown.
    case unknownOutcome
    /// Another transaction was in the way. The same one may succeed at once.
    case repeatable
    /// A table or a column is missing.
    case missing
    /// The server's disk is full.
    case full
    /// The user or the password is wrong, or the rights do not suffice.
    case denied
    /// The server has no database of this name.
    case noDatabase
    /// Anything else.
    case other
  }

  /// What the caller can do about it.
  public var kind: Kind
  /// The five characters by which PostgreSQL names an error; empty without an answer.
  public var state: String
  /// The reason in one line.
  public var description: String
  /// Whether the server gave no answer in time, for which nobody should wait again.
  var isTimeout = false

  /// Whether a table could not be made because another program made it at the same time: the server
  /// then finds its row, its name or its type taken.
  public var isMadeMeanwhile: Bool { ["23505", "42P07", "42710"].contains(state) }

  /// Whether the server found fault with what it was to keep, and not with itself: a value, a rule
  /// or a limit, such as that of a key.
  public var isAboutContent: Bool { ["22", "23", "54"].contains(state.prefix(2)) }

  /// The error of a transaction that found its own tables changed, and may succeed when repeated.
  public static let tryAgain = PostgresError(.repeatable, "the rows changed meanwhile")

  /// An error.
  public init(_ kind: Kind, state: String = "", _ description: String) {
    self.kind = kind
    self.state = state
    self.description = description
  }

  /// The kind of an answer with this name.
  static func kind(ofState state: String) -> Kind {
    switch state {
    // A serialization failure and a deadlock; other engines of this protocol have the first often.
    case "40001", "40P01": .repeatable
    case "42P01", "42703", "3F000": .missing
    case "53100": .full
    case "42501": .denied
    case "3D000": .noDatabase
    // A server that became a standby, shuts down, starts, or has no connection left.
    case "25006", "57P01", "57P02", "57P03", "53300": .unreachable
    case _ where state.hasPrefix("08"): .unreachable
    case _ where state.hasPrefix("28"): .denied
    default: .other
    }
  }
}
