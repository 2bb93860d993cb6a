internal import CSQLite
internal import Glibc
internal import LinuxSystem
internal import Recording
internal import Values

extension StoreError {
  /// The error for a result code.
  ///
  /// - Parameter systemError: the last `errno` in SQLite, which alone distinguishes a full disk
  ///   from a failing one where the code is only "input/output error".
  init(code: Int32, systemError: Int32, reason: String, doing: String, path: String) {
    let kind = Self.kind(code: code, systemError: systemError)
    let isReadOnly =
      code & 0xff == SQLITE_READONLY
      || kind == .cannotOpen && FileFacts.refusal(path, writing: true)?.number == EROFS
    let why = kind == .full ? "the disk is full" : isReadOnly ? "it is read-only" : reason
    self.init(
      kind, "cannot \(doing) \(path): \(why)",
      remedy: isReadOnly
        ? "see that its disk is not mounted read-only and that this user may write the file and\n"
          + "its folder, or give a copy elsewhere with --store" : Self.remedy(kind, path: path))
  }

  private static func kind(code: Int32, systemError: Int32) -> Kind {
    switch code & 0xff {
    case SQLITE_FULL: .full
    case SQLITE_IOERR where [ENOSPC, EDQUOT].contains(systemError): .full
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CORRUPT: .damaged
    case SQLITE_CONSTRAINT: .refused
    case SQLITE_NOTADB: .notAStore
    case SQLITE_CANTOPEN where [ENOSPC, EDQUOT].contains(systemError): .full
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
    default: .other
    }
  }

  private static func remedy(_ kind: Kind, path: String) -> String {
    switch kind {
    case .full: "free some space on the disk that holds it; data stored before is safe"
    case .locked, .busy: "wait for the other program, or give another store"
    case .damaged:
      "set damaged parts aside with: footbridge store repair --store \(ShellText.quoted(path))"
    case .newerSchema: "use the version of footbridge that made it, or a later one"
    case .notAStore: "give the path of a store, or of a file that does not exist yet"
    case .cannotOpen: "check that the path exists and that this user may read and write there"
    case .gone:
      "end recordings before you delete or move their store; the next recording begins a new one"
    case .unknown: "list the stored sessions with: footbridge sessions"
    case .refused: "report this as a fault of footbridge; data stored before is safe"
    case .other: "check the disk and its mount options with: dmesg; mount"
    }
  }

  /// An error that this program found, with the usual remedy for its kind.
  static func found(_ kind: Kind, _ message: String, path: String) -> StoreError {
    StoreError(kind, message, remedy: remedy(kind, path: path))
  }
}
