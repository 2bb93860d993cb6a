internal import Foundation
internal import LinuxSystem

/// The folder for temporary files of this run and of the programs it starts.
///
/// It is in memory where there is room: the tests call `fsync` so often that a disk would dominate
/// their time. It is deleted with the process; a later run removes the folder of one that was
/// killed.
enum TestFolder {
  /// Directs temporary files into the folder from now on.
  static func use() {
    _ = path
  }

  /// More than all tests together have ever used.
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
    // Kept open, with its lock, until the process ends.
    _ = lock(path)
    unsafe setenv("TMPDIR", path, 1)
    atexit { try? FileManager.default.removeItem(atPath: TestFolder.path) }
    return path
  }()

  /// A folder on a disk. Longer paths would leave no room for the names of sockets.
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

  /// A descriptor that holds the folder's lock; `nil` if another process has it.
  private static func lock(_ path: String) -> Int32? {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
    close(folder)
    return nil
  }

  /// Removes the folders of killed runs.
  private static func removeOld(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      // A run that has just begun may not hold its lock yet.
      let made =
        (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
      guard let made, made.timeIntervalSinceNow < -60, let folder = lock(path) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      close(folder)
    }
  }
}
