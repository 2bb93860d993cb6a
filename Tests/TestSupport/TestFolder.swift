internal import Foundation
internal import LinuxSystem

/// The folder for temporary files of this test run and of the programs that it starts.
///
/// The folder is in memory if there is enough space. The tests call `fsync` so often that most of
/// their time would be spent on a disk. The folder is deleted when the process ends. If a run is
/// killed, a later run removes its folder.
enum TestFolder {
  /// Makes this process and its children create temporary files in the folder.
  static func use() {
    _ = path
  }

  /// Size in bytes: more than all tests together have ever used.
  private static let enoughBytes: UInt64 = 2 << 30
  private static let prefix = "footbridge-tests-"

  private static let path: String = {
    let parent = hasRoom("/dev/shm") ? "/dev/shm" : onDisk
    removeOld(in: parent)
    let path = "\(parent)/\(prefix)\(UUID().uuidString.prefix(8))"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      fatalError("cannot make \(path): \(error)")
    }
    // The descriptor stays open, with its lock, until the process ends.
    _ = lock(path)
    unsafe setenv("TMPDIR", path, 1)
    atexit { try? FileManager.default.removeItem(atPath: TestFolder.path) }
    return path
  }()

  /// The path of a folder on a disk. A longer path would exceed the limit for socket names.
  private static var onDisk: String {
    let usual = FileManager.default.temporaryDirectory.path
    return usual.utf8.count <= 32 ? usual : "/tmp"
  }

  private static func hasRoom(_ folder: String) -> Bool {
    guard unsafe access(folder, W_OK) == 0,
      let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder),
      let free = facts[.systemFreeSize] as? UInt64
    else { return false }
    return free >= enoughBytes
  }

  /// Locks the folder and returns the descriptor that holds the lock. Returns `nil` if another
  /// process holds the lock.
  private static func lock(_ path: String) -> Int32? {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
    close(folder)
    return nil
  }

  /// Removes the folders of runs that were killed.
  private static func removeOld(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      // A run that has just started may not have locked its folder yet.
      let made =
        (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
      guard let made, made.timeIntervalSinceNow < -60, let folder = lock(path) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      close(folder)
    }
  }
}
