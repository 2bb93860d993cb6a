internal import Foundation
internal import LinuxSystem

/// The folder for temporary files of this run and of the programs it starts.
///
/// It is in memory where there is room: the tests call `fsync` some hundred thousand times, so that on a
/// disk their time would be the disk's. It goes with the process.
enum TestFolder {
  /// Has temporary files put into the folder from now on.
  static func use() {
    _ = path
  }

  /// More than all tests together have had in use.
  private static let enoughBytes: UInt64 = 2 << 30

  private static let path: String = {
    let parent = hasRoom("/dev/shm") ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    let path = "\(parent)/footbridge-tests-\(getpid())"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      fatalError("cannot make \(path): \(error)")
    }
    unsafe setenv("TMPDIR", path, 1)
    atexit { try? FileManager.default.removeItem(atPath: TestFolder.path) }
    return path
  }()

  private static func hasRoom(_ folder: String) -> Bool {
    guard unsafe access(folder, W_OK) == 0,
      let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder),
      let free = facts[.systemFreeSize] as? UInt64
    else { return false }
    return free >= enoughBytes
  }
}
