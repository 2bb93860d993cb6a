public import Recording
internal import SQLite

/// The migration of a store from the version of an earlier release to the present one.
///
/// Every program that writes to a store of an earlier release migrates it. This is the careful way,
/// which an upgrade takes first: it makes a copy that the earlier release can still read.
public struct StoreMigration: Hashable, Sendable {
  /// The copy of the store as it was.
  public struct Copy: Hashable, Sendable {
    public var path: String
    /// Its size.
    public var bytes: UInt64

    /// A copy of this path and size.
    public init(path: String, bytes: UInt64) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// The version before.
  public var before: Int64
  /// The version now.
  public var now: Int64
  /// The copy; `nil` if the store already had the present version.
  public var copy: Copy?

  /// A migration with these versions.
  public init(before: Int64, now: Int64, copy: Copy?) {
    self.before = before
    self.now = now
    self.copy = copy
  }

  /// Migrates the store at `path`; `nil`, and an unchanged store, if `progress` ended the copy.
  ///
  /// The copy has the store's name with `.version-N` appended, where N is the former version. An
  /// existing copy comes from a migration that failed, and is replaced. The tail of an interrupted
  /// recorder is not in the copy and stays beside the store. Throws `.locked` while a recorder
  /// holds the store, and `.damaged` for a torn one, which must be repaired first.
  public static func run(
    _ path: String, _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> StoreMigration? {
    try run(path, by: Schema.migrations, progress)
  }

  /// Migrates with other steps, for tests of a later version.
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
    try database.prepareForWriting()
    try database.migrate(from: before, by: steps)
    return StoreMigration(before: before, now: now, copy: Copy(path: copy, bytes: bytes))
  }
}
