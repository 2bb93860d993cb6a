/// An error reported by a PostgreSQL server, or the reason for a missing reply.
public struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error. Each requires a different reaction from the caller.
  public enum Kind: Hashable, Sendable {
    /// No writable server could be reached, or the connection broke. A later attempt may succeed.
    case unreachable
    /// The connection broke during a commit, or the standbys did not confirm the commit. Its
    /// outcome is unknown.
    case unknownOutcome
    /// The transaction conflicted with another transaction. An immediate retry may succeed.
    case repeatable
    /// A schema, a table or a column does not exist.
    case missing
    /// The server's disk is full.
    case full
    /// The user name or the password is invalid, or permissions are missing.
    case denied
    /// The server has no database with this name.
    case noDatabase
    /// A table with this name exists but belongs to another program.
    case occupied
    case other
  }

  public var kind: Kind
  /// The error's SQLSTATE; empty if the server did not reply.
  public var state: String
  /// The reason for the error, in one line.
  public var description: String
  /// Whether the server failed to reply in time. An immediate retry would probably time out as
  /// well.
  var isTimeout = false

  /// Whether a table could not be created because another program created it at the same time. In
  /// this case, the server reports a duplicate row, name or type.
  public var isMadeMeanwhile: Bool { ["23505", "42P07", "42710"].contains(state) }

  /// Whether the server works but rejected a statement's content: an invalid value, a violated
  /// constraint, or a key that is too long.
  public var isAboutContent: Bool { ["22", "23", "54"].contains(state.prefix(2)) }

  /// A transaction found that rows it depends on had changed. A retry may succeed.
  public static let tryAgain = PostgresError(.repeatable, "the rows were changed in the meantime")

  public init(_ kind: Kind, state: String = "", _ description: String) {
    self.kind = kind
    self.state = state
    self.description = description
  }

  static func kind(ofState state: String) -> Kind {
    switch state {
    // These codes report a serialization failure and a deadlock. PostgreSQL-compatible engines
    // often report the former.
    case "40001", "40P01": .repeatable
    case "42P01", "42703", "3F000": .missing
    case "53100": .full
    case "42501": .denied
    case "3D000": .noDatabase
    case "42P07", "42710": .occupied
    // The server became a standby, is starting or shutting down, or has no free connections.
    case "25006", "57P01", "57P02", "57P03", "53300": .unreachable
    case _ where state.hasPrefix("08"): .unreachable
    case _ where state.hasPrefix("28"): .denied
    default: .other
    }
  }
}
