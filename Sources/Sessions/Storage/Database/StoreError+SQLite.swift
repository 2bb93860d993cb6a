internal import Glibc
internal import LinuxSystem
internal import Recording
internal import SQLite
internal import Values

extension StoreError: SQLiteFailure {
  init(_ error: SQLiteError) {
    let kind: Kind =
      switch error.kind {
      case .full: .full
      case .busy: .busy
      case .damaged: .damaged
      case .refused: .refused
      case .notADatabase: .notAStore
      case .cannotOpen, .readOnly: .cannotOpen
      case .interrupted, .other: .other
      }
    let isReadOnly =
      error.kind == .readOnly
      || kind == .cannotOpen && FileFacts.refusal(error.path, writing: true)?.number == EROFS
    let why = kind == .full ? "the disk is full" : isReadOnly ? "it is read-only" : error.reason
    self.init(
      kind, "cannot \(error.doing) \(error.path): \(why)",
      remedy: isReadOnly
        ? "check that its disk is not mounted read-only and that this user may write the file and\n"
          + "its folder, or use a copy elsewhere with --store"
        : Self.remedy(kind, path: error.path))
  }

  private static func remedy(_ kind: Kind, path: String) -> String {
    switch kind {
    case .full: "free some space on the disk that holds it; data already stored is safe"
    case .locked, .busy: "wait for the other program, or give another store"
    case .damaged:
      "set damaged parts aside with: footbridge store repair --store \(ShellText.quoted(path))"
    case .newerSchema: "use the version of footbridge that created it, or a later one"
    case .notAStore: "give the path of a store, or of a file that does not exist yet"
    case .cannotOpen: "check that the path exists and that this user may read and write there"
    case .gone:
      "stop recordings before you delete or move their store; the next recording begins a new store"
    case .unknown: "list the stored sessions with: footbridge sessions"
    case .refused: "report this as a bug in footbridge; data already stored is safe"
    case .other: "check the disk and its mount options with: dmesg; mount"
    }
  }

  /// Returns the error for a condition that this program itself detected, with the usual remedy for
  /// that kind of error.
  static func found(_ kind: Kind, _ message: String, path: String) -> StoreError {
    StoreError(kind, message, remedy: remedy(kind, path: path))
  }

  static func damaged(_ path: String, _ what: String) -> StoreError {
    .found(.damaged, "cannot read \(path): \(what)", path: path)
  }
}
