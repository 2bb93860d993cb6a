internal import Glibc
internal import LinuxSystem
public import Recording
internal import SQLite

/// Makes a consistent copy of a store, even during a recording.
public struct StoreBackup {
  /// Number of pages copied between two calls of `progress`: half a MiB.
  private static let pagesAtOnce: Int32 = 1_024

  /// Copies the store at `path` to a new file at `destination`, which appears when it is complete
  /// and on disk. Returns its size in bytes. Returns `nil` if `progress` cancelled the copy, in
  /// which case no file remains.
  ///
  /// Records that exist only in the tail are copied too, so the copy contains all data that a
  /// reader of the store sees. Open chunks are sealed in the copy, with ids that differ from their
  /// later ids in the store. The recorder can continue during the copy; its log grows until the
  /// copy is complete. An interrupted backup leaves at most a file whose name ends in `.partial`.
  /// An existing file at `destination` is rejected unless `replaces` is true.
  public static func make(
    of path: String, to destination: String, replacing replaces: Bool = false,
    _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> UInt64? {
    try make(of: path, to: destination, replacing: replaces, includesTail: true, progress)
  }

  /// Makes a copy with or without the records in the tail. Without them, the copy keeps the store's
  /// schema version. They can be added only to a copy with the current version.
  static func make(
    of path: String, to destination: String, replacing replaces: Bool, includesTail: Bool,
    _ progress: StoreProgress
  ) throws(StoreError) -> UInt64? {
    let target = try file(destination, replaces: replaces)
    guard !StoreFile.isSame(path, target) else {
      throw StoreError(
        .refused, "cannot back up to \(destination): it is the store itself",
        remedy: "give another name, preferably on another disk")
    }
    // Read the tails before the store. Otherwise, records that the recorder moves to the store in
    // the meantime would be missed.
    let tails = includesTail ? try LeftTails(store: path) : nil
    let source = try StoreReader(path: path)
    // Another backup would write to the same incomplete file.
    let lock = try StoreLock(store: target, .backingUp)
    defer { withExtendedLifetime(lock) {} }
    let partial = target + ".partial"
    unsafe unlink(partial)
    var isWhole = false
    defer { if !isWhole { unsafe unlink(partial) } }
    guard try copy(source, to: partial, progress) else { return nil }
    if let tails { try add(tails, to: partial) }
    try settle(partial, at: target, replaces: replaces, name: destination)
    isWhole = true
    var file = stat()
    return unsafe stat(target, &file) == 0 ? UInt64(file.st_size) : 0
  }

  /// Returns the path of the file to create. Throws `.refused` if the destination is occupied, or
  /// cannot be a file.
  private static func file(
    _ destination: String, replaces: Bool
  ) throws(StoreError) -> String {
    do throws(OutputRefusal) {
      switch try OutputPlace(destination) {
      case .file(_, isThere: true) where !replaces: throw OutputPlace.occupied(destination)
      case .file(let path, _): return path
      case .folder:
        throw OutputRefusal(
          "cannot write \(destination): it is a folder",
          remedy: "give the path of a file in it, as in \(destination)/backup.sqlite")
      case .stream, .standardOutput:
        throw OutputRefusal(
          "cannot back up to \(destination): a backup cannot be written to a pipe or a device",
          remedy: "give the path of a file")
      }
    } catch {
      throw StoreError(.refused, error.message, remedy: error.remedy)
    }
  }

  private static func copy(
    _ source: borrowing StoreReader, to partial: String, _ progress: StoreProgress
  ) throws(StoreError) -> Bool {
    let target = try Database.open(path: partial, mode: .recording)
    // No other program uses the copy before it is complete, so it needs no journal.
    try target.execute("PRAGMA journal_mode = OFF", doing: "back up to")
    // The whole copy is one transaction. Otherwise, each commit by the recorder would restart the
    // copy, which might never finish.
    try source.database.execute("BEGIN", doing: "back up")
    _ = try source.database.integer("PRAGMA schema_version")
    let isComplete = try source.database.copyPages(
      to: target, atOnce: pagesAtOnce, doing: "back up to", progress)
    try source.database.execute("COMMIT", doing: "back up")
    guard isComplete else { return false }
    // The copy is in WAL mode like its source. Changing the mode leaves a single file without a
    // log. A single file is easier to move.
    try target.execute("PRAGMA journal_mode = DELETE", doing: "back up to")
    return true
  }

  /// Adds to the copy the records that exist only in the tail.
  private static func add(_ tails: LeftTails, to partial: String) throws(StoreError) {
    guard !tails.isEmpty else { return }
    var store = try Store(copy: partial)
    _ = try store.take(tails)
    try store.close()
    let copy = try Database.open(path: partial, mode: .recording)
    try copy.execute("PRAGMA journal_mode = DELETE", doing: "back up to")
  }

  /// Syncs a file to disk and renames it to its final name.
  private static func settle(
    _ partial: String, at target: String, replaces: Bool, name: String
  ) throws(StoreError) {
    try StoreError.explained("back up to", name) { () throws(SystemError) in
      try Durability.sync(file: partial)
    }
    do throws(OutputRefusal) {
      try OutputPlace.put(partial, at: target, replaces: replaces, name: name)
    } catch {
      throw StoreError(.refused, error.message, remedy: error.remedy)
    }
  }
}
