internal import Glibc
internal import Values

/// A temporary folder that exists until this process ends. It is in `TMPDIR`, or else in
/// `/var/tmp`, which is on a disk. `/tmp` is not used, because it may be in memory.
///
/// If a process is killed, its folder is left behind. It is removed by the same user's next process
/// that creates a folder with the same prefix.
public final class ProcessFolder {
  private let folder: TemporaryFolder
  /// The lock that marks the folder as in use. If no process has locked a folder, the folder was
  /// left behind.
  private let lock: FolderLock

  /// Creates a new folder whose name begins with `prefix`.
  public init(prefix: String) throws(SystemError) {
    let parent = TemporaryPlace.large
    Self.removeLeft(in: parent, prefix)
    while true {
      let folder = try TemporaryFolder(prefix: prefix, in: parent)
      let lock: FolderLock
      // Until the folder is locked, another process may mistake it for a folder that was left
      // behind, and remove it.
      do throws(SystemError) {
        lock = try FolderLock(folder.path, waitingAtMost: 1)
      } catch {
        guard Folder.exists(folder.path) else { continue }
        throw error
      }
      guard Folder.exists(folder.path) else { continue }
      self.folder = folder
      self.lock = lock
      return
    }
  }

  public var path: String { folder.path }

  public func remove() { folder.remove() }

  private static func removeLeft(in parent: String, _ prefix: String) {
    for name in (try? Folder.names(in: parent)) ?? [] where name.hasPrefix(prefix + "-") {
      let path = "\(parent)/\(name)"
      // Other users' folders are skipped, because their owners could change them during the
      // removal.
      guard isOwn(path), let lock = try? FolderLock(path, waitingAtMost: 0) else { continue }
      TemporaryFolder.removeTree(path)
      _ = consume lock
    }
  }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_uid == geteuid()
      && status.st_mode & S_IFMT == S_IFDIR
  }
}
