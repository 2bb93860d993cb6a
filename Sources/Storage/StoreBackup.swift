internal import CSQLite
internal import Glibc

/// A copy of a store at one instant, made also while it is recorded into.
public struct StoreBackup {
  /// Pages between two looks at whether to go on: 4 MiB.
  private static let pagesAtOnce: Int32 = 1_024

  /// Copies the store at `path` to a new file at `destination`, which appears when it is whole and on
  /// the disk; its bytes. `nil`, and no file, when `progress` said not to go on.
  ///
  /// The recorder goes on meanwhile; its log grows until the copy is made. What is interrupted leaves
  /// at most a file whose name ends in `.partial`.
  public static func make(
    of path: String, to destination: String, _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> UInt64? {
    guard !StoreReader.exists(at: destination) else {
      throw StoreError(
        .refused, "cannot back up to \(destination): there is a file of that name",
        remedy: "give another name, or move that file away")
    }
    let source = try StoreReader(path: path)
    let partial = destination + ".partial"
    unsafe unlink(partial)
    var isWhole = false
    defer { if !isWhole { unsafe unlink(partial) } }
    guard try copy(source, to: partial, progress) else { return nil }
    try settle(partial, as: destination)
    isWhole = true
    var file = stat()
    return unsafe stat(destination, &file) == 0 ? UInt64(file.st_size) : 0
  }

  private static func copy(
    _ source: borrowing StoreReader, to partial: String, _ progress: StoreProgress
  ) throws(StoreError) -> Bool {
    let target = try Database.open(path: partial, mode: .recording)
    // Nothing refers to the copy before it is whole, so it needs no journal of its own.
    try target.execute("PRAGMA journal_mode = OFF", doing: "back up to")
    // One transaction for the whole copy: without it each commit of the recorder would let the copy
    // begin anew, and it might never end.
    try source.database.execute("BEGIN", doing: "back up")
    _ = try source.database.integer("PRAGMA schema_version")
    let isComplete = try source.database.copyPages(
      to: target, atOnce: pagesAtOnce, progress)
    try source.database.execute("COMMIT", doing: "back up")
    guard isComplete else { return false }
    // The copy is in WAL mode as its source is; a plain file is easier to carry away.
    try target.execute("PRAGMA journal_mode = DELETE", doing: "back up to")
    return true
  }

  /// Puts a file that is written on the disk under its name.
  private static func settle(_ partial: String, as destination: String) throws(StoreError) {
    func check(_ succeeded: Bool, _ doing: String) throws(StoreError) {
      guard !succeeded else { return }
      let reason = unsafe String(cString: strerror(errno))
      throw .found(
        [ENOSPC, EDQUOT].contains(errno) ? .full : .other,
        "cannot \(doing) \(destination): \(reason)", path: destination)
    }
    let file = unsafe open(partial, O_RDWR | O_CLOEXEC)
    try check(file >= 0, "back up to")
    defer { close(file) }
    try check(fsync(file) == 0, "back up to")
    try check(unsafe rename(partial, destination) == 0, "back up to")
    let slash = destination.lastIndex(of: "/")
    let folder = slash.map { String(destination[...$0]) } ?? "."
    let parent = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return }
    fsync(parent)
    close(parent)
  }
}
