internal import LinuxSystem
public import Recording
internal import SQLite

/// Migrates a store from the schema version of an earlier release to the current version.
///
/// Every program that writes to a store from an earlier release migrates the store. An upgrade runs
/// this safer migration first, which makes a copy that the earlier release can still read.
public struct StoreMigration: Hashable, Sendable {
  /// The copy of the store as it was before the migration.
  public struct Copy: Hashable, Sendable {
    public var path: String
    public var bytes: UInt64

    public init(path: String, bytes: UInt64) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// The schema version before the migration.
  public var before: Int64
  /// The schema version after the migration.
  public var now: Int64
  /// The copy; `nil` if the store already had the current version.
  public var copy: Copy?

  public init(before: Int64, now: Int64, copy: Copy?) {
    self.before = before
    self.now = now
    self.copy = copy
  }

  /// Migrates the store at `path`. Returns `nil` and leaves the store unchanged if `progress`
  /// cancelled the copy.
  ///
  /// The copy has the store's name with `.version-N` appended, where N is the previous version. An
  /// existing copy was left by a failed migration and is replaced. The tail of an interrupted
  /// recorder is copied too, and remains next to the store. Throws `.locked` while a recorder uses
  /// the store, and `.damaged` for a torn store, which must be repaired first.
  public static func run(
    _ path: String, _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> StoreMigration? {
    try run(path, by: Schema.migrations, progress)
  }

  /// Migrates with the given steps. Tests use this to simulate a later version.
  static func run(
    _ path: String, by steps: [String], _ progress: StoreProgress
  ) throws(StoreError) -> StoreMigration? {
    let lock = try StoreLock(store: path, .changing)
    defer { withExtendedLifetime(lock) {} }
    let database = try Database.open(path: path, mode: .editing)
    let before = try database.checkSchema(mayBeNew: false)
    let now = Int64(steps.count)
    guard before < now else { return StoreMigration(before: before, now: now, copy: nil) }
    try database.checkStructure()
    let copy = "\(path).version-\(before)"
    guard
      let bytes = try StoreBackup.make(
        of: path, to: copy, replacing: true, includesTail: false, progress)
    else { return nil }
    try copyTail(of: path, to: copy)
    try database.prepareForWriting()
    try database.migrate(from: before, by: steps)
    return StoreMigration(before: before, now: now, copy: Copy(path: copy, bytes: bytes))
  }

  /// Copies the tail of a store, so that the copy of the store also contains the unsealed samples.
  private static func copyTail(of path: String, to copy: String) throws(StoreError) {
    for (_, stale) in TailFiles.existing(store: copy) { TailFiles.remove(stale) }
    for (number, tail) in TailFiles.existing(store: path) {
      guard let bytes = try TailFiles.readIfThere(tail) else { continue }
      let place = TailFiles.path(store: copy, number: number)
      try StoreError.explained("copy the tail to", place) { () throws(SystemError) in
        let file = try DurableFile(place)
        file.copyRights(of: path)
        try file.write(bytes.span)
        try file.commit(replaces: true)
      }
    }
  }
}
