import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing

/// The permissions of a store and of the files beside it.
@Suite(.computation) struct StoreRightsTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func rights() throws -> [String: Int] {
    var rights: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let file = folder.path + "/" + name
      rights[name] =
        try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    }
    return rights
  }

  private func record(_ body: () throws -> Void) throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    var tail = Tail(store: path)
    try tail.append([.fix(SampleRecording.fixes[0])], beginsGroup: true)
    try body()
    let segment = tail.segment
    segment?.remove()
    try store.close()
  }

  @Test func `only the owner can access a new store, its log, its lock and its tail`() throws {
    try record {
      let found = try rights()
      #expect(
        found == [
          "store": 0o600, "store-wal": 0o600, "store-shm": 0o600, "store-lock": 0o600,
          "store-tail-1": 0o600,
        ])
    }
    _ = try StoreBackup.make(of: path, to: folder.path + "/copy")
    #expect(try rights() == ["store": 0o600, "copy": 0o600])
  }

  @Test
  func `a store on a read-only disk is reported as read-only, and the error suggests a remedy`() {
    let error = StoreError(
      SQLiteError(
        code: 8, systemError: 0, reason: "attempt to write a readonly database",
        doing: "open", path: "/media/card/walk.sqlite"))
    #expect(error.kind == .cannotOpen)
    #expect(error.message == "cannot open /media/card/walk.sqlite: it is read-only")
    #expect(error.remedy.contains("mounted read-only") && error.remedy.contains("--store"))
  }

  @Test func `a user who may read the store may also read the files beside it`() throws {
    try Store.open(path: path).close()
    unsafe chmod(path, 0o640)
    try record {
      let found = try rights()
      #expect(
        found == [
          "store": 0o640, "store-wal": 0o640, "store-shm": 0o640, "store-lock": 0o640,
          "store-tail-1": 0o640,
        ])
    }
    _ = try StoreSalvage.run(path)
    #expect(try rights() == ["store": 0o640, "store.damaged": 0o640])
  }

  @Test func `a folder in place of a store is reported, and no lock file is created beside it`()
    throws
  {
    var errors: [StoreError] = []
    do throws(StoreError) { _ = try Store.open(path: folder.path) } catch { errors.append(error) }
    do throws(StoreError) { _ = try StoreReader(path: folder.path) } catch { errors.append(error) }
    #expect(
      errors.map(\.words)
        == Array(
          repeating: """
            cannot open \(folder.path): it is a folder
                   give the path of a file in it, as in \(folder.path)/footbridge.sqlite
            """, count: 2))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-lock"))
  }
}
