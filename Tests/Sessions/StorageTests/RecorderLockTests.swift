import Foundation
import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing

@Suite(.computation) struct RecorderLockTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test
  func `the error for a second recorder of a store contains the first recorder's process id`()
    throws
  {
    let first = try Store.open(path: path)
    do throws(StoreError) {
      _ = try Store.open(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .locked)
      #expect(
        error.message
          == "cannot record into \(path): process \(getpid()) is recording into it")
      #expect(error.remedy == "wait for the other program, or give another store")
    }
    try first.close()
    try Store.open(path: path).close()
  }

  @Test(arguments: [
    ("tail", "recovering the data that an interrupted recording left beside it"),
    ("receiving", "storing sessions in it"), ("changing", "maintaining it"),
    ("", "recording into it"),
  ])
  func `the error for a locked store contains the locking process's id and activity`(
    word: String, activity: String
  )
    throws
  {
    let lock = path + "-lock"
    // Another program holds the lock. Earlier versions of the programs do not record their
    // activity.
    try Data("17\n\(word)\n".utf8).write(to: URL(filePath: lock))
    let descriptor = unsafe open(lock, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    do throws(StoreError) {
      _ = try StoreLock(store: path, .recording, waitingAtMost: 0)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .locked)
      #expect(error.message == "cannot record into \(path): process 17 is \(activity)")
    }
  }

  @Test(.realTime) func `a recorder waits for a command that is recovering a tail`() async throws {
    let path = path
    let command = try StoreLock(store: path, .takingInTail)
    let recorder = Task.detached {
      // The command keeps the lock for longer than one recorder would wait for another.
      try Store.open(path: path).close()
    }
    try await Task.sleep(for: .milliseconds(600))
    _ = consume command
    try await recorder.value
  }

  @Test(.realTime)
  func `after a recorder is killed, its store is unlocked and its commits can be read`()
    async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      try Self.recordAndDie(path)
    }
    #expect(FileManager.default.fileExists(atPath: path + "-lock"))
    #expect(try Self.fixCount(path) == 2)
    try Store.open(path: path).close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
  }

  @Test func `only one of many concurrent recorders has the store open at a time`() async throws {
    let path = path
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var opened = 0
          for _ in 0..<25 where try Self.recordForAMoment(path) { opened += 1 }
          return opened
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(counts > 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
  }

  private static func recordAndDie(_ path: String) throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: [])
    kill(getpid(), SIGKILL)
    // This line is never reached, but it keeps the store open until the process is killed.
    try store.close()
  }

  private static func fixCount(_ path: String) throws -> Int {
    let reader = try StoreReader(path: path)
    return try reader.fixCount(of: SampleRecording.session.id)
  }

  /// Opens the store for a moment. Returns whether it could be opened. Records an issue if the
  /// store has a second owner at the same time.
  private static func recordForAMoment(_ path: String) throws -> Bool {
    let store: Store
    do throws(StoreError) {
      store = try Store.open(path: path)
    } catch {
      #expect(error.kind == .locked)
      return false
    }
    // The owner of the store creates this folder. If the folder already exists, there are two
    // owners.
    let mark = path + "-mark"
    let made = unsafe mkdir(mark, 0o755)
    #expect(made == 0, "two recorders at once")
    unsafe rmdir(mark)
    try store.close()
    return true
  }
}
