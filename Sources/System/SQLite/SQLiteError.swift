internal import CSQLite
internal import Glibc

/// Describes a failed call to SQLite.
package struct SQLiteError: Error, CustomStringConvertible {
  /// The kinds of failures that callers distinguish.
  package enum Kind {
    /// The disk, or a quota on it, is full.
    case full
    /// Another connection kept the file locked for longer than this program is willing to wait.
    case busy
    /// The file's content is inconsistent.
    case damaged
    /// The row violates a table constraint.
    case refused
    case notADatabase
    /// The file cannot be opened because it is missing or access is denied.
    case cannotOpen
    case readOnly
    /// The statement exceeded its connection's step limit.
    case interrupted
    case other
  }

  package let kind: Kind
  /// The operation that failed, such as "write to".
  package let doing: String
  /// The database file's path.
  package let path: String
  /// SQLite's own message.
  package let reason: String

  package var description: String { "cannot \(doing) \(path): \(reason)" }

  /// Determines the error's kind from SQLite's result code.
  ///
  /// - Parameter systemError: the last `errno` that SQLite recorded. If the result code is just
  ///   "input/output error", only this number distinguishes a full disk from a failing disk.
  package init(code: Int32, systemError: Int32, reason: String, doing: String, path: String) {
    let isFull = [ENOSPC, EDQUOT].contains(systemError)
    kind =
      switch code & 0xff {
      case SQLITE_FULL: .full
      case SQLITE_IOERR where isFull: .full
      case SQLITE_CANTOPEN where isFull: .full
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_CORRUPT: .damaged
      case SQLITE_CONSTRAINT: .refused
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_READONLY: .readOnly
      case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
      case SQLITE_INTERRUPT: .interrupted
      default: .other
      }
    self.doing = doing
    self.path = path
    self.reason = reason
  }
}

/// An error type that can represent SQLite errors. Each module that uses a database defines its
/// own.
package protocol SQLiteFailure: Error {
  init(_ error: SQLiteError)
}

extension SQLiteError: SQLiteFailure {
  package init(_ error: SQLiteError) { self = error }
}
