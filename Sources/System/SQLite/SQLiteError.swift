internal import CSQLite
internal import Glibc

/// A call of SQLite that failed.
package struct SQLiteError: Error, CustomStringConvertible {
  /// The kind, as far as callers distinguish it.
  package enum Kind {
    /// The disk, or a quota on it, has no room left.
    case full
    /// Another connection held the file for longer than this program waits.
    case busy
    /// The pages of the file contradict each other.
    case damaged
    /// A constraint of a table forbids the row.
    case refused
    /// The file is not a database.
    case notADatabase
    /// The file cannot be opened: missing, or not allowed.
    case cannotOpen
    /// The file can be read only.
    case readOnly
    /// The statement took more steps than its connection allows.
    case interrupted
    /// SQLite gave up for another reason.
    case other
  }

  package let kind: Kind
  /// The operation, as in "write to".
  package let doing: String
  /// The file.
  package let path: String
  /// SQLite's own message.
  package let reason: String

  package var description: String { "cannot \(doing) \(path): \(reason)" }

  /// The error for a result code.
  ///
  /// - Parameter systemError: the last `errno` in SQLite, the only way to distinguish a full disk
  ///   from a failing one if the code is just "input/output error".
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

/// The errors of a user of databases, who translates errors of SQLite in one place.
package protocol SQLiteFailure: Error {
  /// The error for one of SQLite.
  init(_ error: SQLiteError)
}

extension SQLiteError: SQLiteFailure {
  package init(_ error: SQLiteError) { self = error }
}
