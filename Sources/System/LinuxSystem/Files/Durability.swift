internal import CLinux
internal import Glibc

/// Makes files and folders survive a power cut: a file is synced, it gets its name, and the folder
/// of the name is synced.
public enum Durability {
  /// Syncs a file to the disk.
  public static func sync(file path: String) throws(SystemError) {
    try OwnedDescriptor.open(path, flags: O_RDONLY).sync(path)
  }

  /// Syncs the names in a folder to the disk.
  public static func sync(folder path: String) throws(SystemError) {
    if Computer.simulated != nil {
      _ = Computer.admit(Folder.absolute(path) + "/.") { _ in .syncFolder }
      return
    }
    let folder = try OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
    // Some network and user-space file systems cannot sync a folder and return these errors. The
    // data are then as safe as such a file system makes them.
    guard fsync(folder.number) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw SystemError("sync \(path)")
    }
  }

  /// An unused hidden name for a file or folder that is renamed to `path` when it is complete.
  public static func hiddenName(beside path: String) -> String {
    Folder.containing(path) + hiddenPrefix
      + String(UInt64.random(in: .min ... .max), radix: 16) + hiddenEnding
  }

  private static let hiddenPrefix = ".footbridge-"
  /// The ending of hidden names.
  public static let hiddenEnding = ".part"

  /// Gives a synced file or folder its final name, on the same disk; it replaces a former file if
  /// `replaces` is true. After the return, a power cut does not undo it.
  public static func place(
    _ former: String, at path: String, replaces: Bool = true
  ) throws(SystemError) {
    try rename(former, to: path, replaces: replaces)
    try sync(folder: Folder.containing(path))
  }

  /// Renames a file or folder; the new name is durable once its folder is synced.
  public static func rename(
    _ former: String, to path: String, replaces: Bool = true
  ) throws(SystemError) {
    let isDone =
      unsafe replaces ? Glibc.rename(former, path) == 0 : isNamed(former, path)
    guard isDone else { throw SystemError("write \(path)") }
    _ = Computer.admit(former) { .rename($0, to: Folder.name(of: path)) }
  }

  /// Renames a file unless a file of that name exists. Returns whether it was renamed; otherwise
  /// `errno` has the reason.
  private static func isNamed(_ former: String, _ path: String) -> Bool {
    if unsafe clinux_rename_if_free(former, path) == 0 { return true }
    // Network and user-space file systems may not support it.
    guard [EINVAL, ENOTSUP, ENOSYS].contains(errno) else { return false }
    if unsafe link(former, path) == 0 {
      _ = unsafe unlink(former)
      return true
    }
    // Without hard links too, the check and the renaming are two steps.
    guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) else { return false }
    var status = stat()
    if unsafe lstat(path, &status) == 0 {
      errno = EEXIST
      return false
    }
    return unsafe Glibc.rename(former, path) == 0
  }
}

extension OwnedDescriptor {
  /// Syncs the file to the disk; `path` is for the error.
  public func sync(_ path: String) throws(SystemError) {
    guard try isReal(path) else { return }
    guard fsync(number) == 0 else { throw SystemError("sync \(path)") }
  }

  /// Syncs the bytes of the file to the disk, and only the metadata needed to read them; `path` is
  /// for the error.
  public func syncBytes(_ path: String) throws(SystemError) {
    guard try isReal(path) else { return }
    guard fdatasync(number) == 0 else { throw SystemError("sync \(path)") }
  }

  /// Whether the kernel must sync. A simulated computer tracks the content of its disk itself.
  private func isReal(_ path: String) throws(SystemError) -> Bool {
    guard Computer.simulated != nil else { return true }
    if let error = Computer.admit(path, { .sync($0) }) {
      throw SystemError("sync \(path)", number: error)
    }
    return false
  }
}
