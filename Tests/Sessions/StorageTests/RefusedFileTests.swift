import Foundation
import LinuxSystem
import Recording
import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite(.computation) struct RefusedFileTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Returns the error from opening the store, which must be of the same kind for readers and
  /// recorders. The file must be unchanged afterwards.
  private func refusal() throws -> StoreError {
    let before = try? Data(contentsOf: URL(filePath: path))
    var errors: [StoreError] = []
    do throws(StoreError) { _ = try Store.open(path: path) } catch { errors.append(error) }
    do throws(StoreError) { _ = try StoreReader(path: path) } catch { errors.append(error) }
    try #require(errors.count == 2)
    #expect(errors[0].kind == errors[1].kind)
    let after = try? Data(contentsOf: URL(filePath: path))
    #expect(after == before)
    return errors[0]
  }

  @Test func `a store from a later version is rejected and left unchanged`() throws {
    do {
      let store = try Store.open(path: path)
      try store.database.execute("PRAGMA user_version = 99", doing: "change")
      try store.close()
    }
    let error = try refusal()
    #expect(error.kind == .newerSchema)
    #expect(
      error.message
        == "cannot open \(path): its schema version is 99; the newest known is \(Schema.version)")
    #expect(error.remedy == "use the version of footbridge that created it, or a later one")
  }

  @Test func `a file that is not a database is rejected and left unchanged`() throws {
    try Data(repeating: 0x41, count: 5_000).write(to: URL(filePath: path))
    let error = try refusal()
    #expect(error.kind == .notAStore)
    #expect(
      error.remedy == "give the path of a store, or of a file that does not exist yet")
  }

  @Test func `another program's database is rejected and left unchanged`() throws {
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute("CREATE TABLE note (text TEXT)", doing: "change")
    }
    let error = try refusal()
    #expect(error.kind == .notAStore)
    #expect(error.message == "cannot open \(path): not a footbridge store")
  }

  @Test func `the error for a store in a missing folder contains the path and a remedy`() throws {
    let path = folder.path + "/no/store"
    do throws(StoreError) {
      _ = try Store.open(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
      #expect(error.message == "cannot lock \(path): No such file or directory")
      #expect(
        error.remedy == "check that the path exists and that this user may read and write there")
    }
  }

  @Test func `reading a missing store does not create it`() throws {
    do throws(StoreError) {
      _ = try StoreReader(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a reader cannot change the store`() throws {
    try Store.open(path: path).close()
    let database = try Database.open(path: path, mode: .reading)
    do throws(StoreError) {
      try database.execute("DELETE FROM session", doing: "change")
      Issue.record("changed")
    } catch {
      #expect(error.message.hasSuffix("it is read-only"))
    }
  }

  @Test(.realTime) func `a store in a read-only folder can be read`()
    async throws
  {
    let path = path + " 100% ?#"
    try Self.record(path)
    unsafe chmod(path, 0o444)
    unsafe chmod(folder.path, 0o555)
    await #expect(processExitsWith: .success) { [path = path as String] in
      // Root can write to any folder, but the user nobody cannot.
      if getuid() == 0 { try #require(setuid(65_534) == 0) }
      #expect(try Self.sessions(path) == [SampleRecording.session])
    }
    unsafe chmod(folder.path, 0o755)
  }

  private static func record(_ path: String) throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.close()
  }

  private static func sessions(_ path: String) throws -> [Session] {
    let reader = try StoreReader(path: path)
    return try reader.sessions()
  }
}
