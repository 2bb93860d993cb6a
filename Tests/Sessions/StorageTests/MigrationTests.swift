import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// A store is copied and then migrated to the version of a later release.
@Suite(.computation) struct MigrationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }
  private var copy: String { "\(path).version-\(Schema.version)" }
  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  /// The migration steps of a future release.
  private static let steps =
    Schema.migrations + ["ALTER TABLE session ADD COLUMN weather TEXT NOT NULL DEFAULT ''"]

  init() throws {
    folder = try TemporaryFolder()
  }

  private func record() throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.addBoard(SampleRecording.board, session: SampleRecording.session.id)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address,
      session: SampleRecording.session.id)
    try store.commit(
      chunks: [SampleRecording.chunk(0, of: SampleRecording.acceleration, count: 100)],
      fixes: SampleRecording.fixes, clock: SampleRecording.clock)
    try store.end(
      session: SampleRecording.session.id, at: SampleRecording.session.start.advanced(bySeconds: 9))
    try store.close()
  }

  private func integer(_ sql: String, in path: String) throws -> Int64 {
    try Database.open(path: path, mode: .reading).integer(sql)
  }

  private func migrate(_ progress: StoreProgress = { _, _ in true }) throws -> StoreMigration? {
    try StoreMigration.run(path, by: Self.steps, progress)
  }

  @Test func `a store of the current version is neither copied nor changed`() throws {
    try record()
    let before = try #require(try WholeFile.read(path))
    let now = Schema.version
    #expect(try StoreMigration.run(path) == StoreMigration(before: now, now: now, copy: nil))
    #expect(try WholeFile.read(path) == before)
    #expect(try files == ["store"])
  }

  @Test func `an older store is copied and then migrated with all its rows`() throws {
    try record()
    let migration = try #require(try migrate())
    #expect(migration.before == Schema.version)
    #expect(migration.now == Schema.version + 1)
    #expect(migration.copy?.path == copy)
    let copied = try #require(try WholeFile.read(copy))
    #expect(UInt64(copied.count) == migration.copy?.bytes)
    #expect(try integer("PRAGMA user_version", in: path) == migration.now)
    #expect(try integer("SELECT count(*) FROM session WHERE weather = ''", in: path) == 1)
    #expect(try integer("SELECT count(*) FROM chunk", in: path) == 1)
    // The previous release can read the copy, but rejects the store because of its version number.
    let check = try #require(try StoreReader(path: copy).check())
    #expect(check == StoreCheck(sessions: 1, chunks: 1))
    let refusal = #expect(throws: StoreError.self) { _ = try StoreEditor(path: path) }
    #expect(refusal?.kind == .newerSchema)
  }

  @Test func `a cancelled copy leaves the store unchanged`() throws {
    try record()
    #expect(try migrate { _, _ in false } == nil)
    #expect(try integer("PRAGMA user_version", in: path) == Schema.version)
    #expect(try files == ["store"])
  }

  @Test func `a store is not migrated if it cannot be copied`() throws {
    try record()
    try FileManager.default.createDirectory(
      atPath: copy, withIntermediateDirectories: false)
    #expect(throws: StoreError.self) { _ = try migrate() }
    #expect(try integer("PRAGMA user_version", in: path) == Schema.version)
  }

  @Test
  func `a failed migration step leaves the store unchanged, and a later attempt replaces the copy`()
    throws
  {
    try record()
    let broken = Self.steps + ["ALTER TABLE nowhere ADD COLUMN nothing TEXT"]
    #expect(throws: StoreError.self) {
      _ = try StoreMigration.run(path, by: broken, { _, _ in true })
    }
    #expect(try integer("PRAGMA user_version", in: path) == Schema.version)
    #expect(try StoreReader(path: path).check() == StoreCheck(sessions: 1, chunks: 1))
    #expect(try migrate()?.copy?.path == copy)
  }

  @Test func `a store that a recorder is using is not migrated`() throws {
    try record()
    let store = try Store.open(path: path)
    let refusal = #expect(throws: StoreError.self) { _ = try migrate() }
    #expect(refusal?.kind == .locked)
    try store.close()
  }
}
