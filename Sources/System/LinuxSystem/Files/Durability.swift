internal import CLinux
internal import Glibc

/// Makes files and folders survive a power cut. To do this, it syncs a file, renames it to its
/// final name, and syncs the folder that contains it.
public enum Durability {
  public static func sync(file path: String) throws(SystemError) {
    try OwnedDescriptor.open(path, flags: O_RDONLY).sync(path)
  }

  /// Syncs a folder's directory entries to the disk, but not the files.
  public static func sync(folder path: String) throws(SystemError) {
    if Computer.simulated != nil {
      _ = Computer.admit(Folder.absolute(path) + "/.") { _ in .syncFolder }
      return
    }
    let folder = try OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
    // Some network and FUSE file systems cannot sync a folder and return these errors. On such a
    // file system, nothing more can be done to protect the data.
    guard fsync(folder.number) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw SystemError("sync \(path)")
    }
  }

  /// Returns an unused path with a hidden name, in the folder that contains `path`. A file or
  /// folder is written there and renamed to `path` once it is complete.
  public static func hiddenName(beside path: String) -> String {
    Folder.containing(path) + hiddenPrefix
      + String(UInt64.random(in: .min ... .max), radix: 16) + hiddenEnding
  }

  private static let hiddenPrefix = ".footbridge-"
  /// The suffix that all hidden names share.
  public static let hiddenEnding = ".part"

  /// Renames a synced file or folder on the same disk to its final name. An existing file is
  /// replaced only if `replaces` is true. After this call returns, a power cut cannot undo the
  /// change.
  public static func place(
    _ former: String, at path: String, replaces: Bool = true
  ) throws(SystemError) {
    try rename(former, to: path, replaces: replaces)
    try sync(folder: Folder.containing(path))
  }

  /// Renames a file or folder. The new name becomes durable when the folder is synced.
  public static func rename(
    _ former: String, to path: String, replaces: Bool = true
  ) throws(SystemError) {
    let isDone =
      unsafe replaces ? Glibc.rename(former, path) == 0 : isNamed(former, path)
    guard isDone else { throw SystemError("write \(path)") }
    _ = Computer.admit(former) { .rename($0, to: Folder.name(of: path)) }
  }

  /// Renames the file or folder `former` to `path`. If `path` already exists, the two swap names.
  /// On a file system that cannot swap names in one step, `path` briefly does not exist. The change
  /// becomes durable when the folder is synced.
  public static func exchange(_ former: String, _ path: String) throws(SystemError) {
    guard Folder.exists(path) else { return try rename(former, to: path, replaces: false) }
    guard unsafe clinux_exchange(former, path) != 0 else { return }
    guard [EINVAL, ENOTSUP, ENOSYS].contains(errno) else { throw SystemError("write \(path)") }
    let spare = former + hiddenEnding
    try rename(path, to: spare)
    do throws(SystemError) {
      try rename(former, to: path)
    } catch {
      try? rename(spare, to: path)
      throw error
    }
    try rename(spare, to: former)
  }

  /// Renames a file unless the new name is in use. Returns whether the file was renamed. If not,
  /// `errno` contains the reason.
  private static func isNamed(_ former: String, _ path: String) -> Bool {
    if unsafe clinux_rename_if_free(former, path) == 0 { return true }
    // Some network and FUSE file systems do not support a rename that fails if the new name is in
    // use.
    guard [EINVAL, ENOTSUP, ENOSYS].contains(errno) else { return false }
    if unsafe link(former, path) == 0 {
      _ = unsafe unlink(former)
      return true
    }
    // If a file system does not support hard links, the check and the rename must be separate
    // steps.
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
  /// Syncs the file to the disk. `path` is used in the error message and by a simulated computer.
  public func sync(_ path: String) throws(SystemError) {
    guard try isReal(path) else { return }
    guard fsync(number) == 0 else { throw SystemError("sync \(path)") }
  }

  /// Syncs the file's bytes to the disk, and only the metadata that is needed to read them. `path`
  /// is used in the error message and by a simulated computer.
  public func syncBytes(_ path: String) throws(SystemError) {
    guard try isReal(path) else { return }
    guard fdatasync(number) == 0 else { throw SystemError("sync \(path)") }
  }

  /// Returns whether the real kernel must sync the file. On a simulated computer, this is
  /// unnecessary, because that computer tracks its own disk's content.
  private func isReal(_ path: String) throws(SystemError) -> Bool {
    guard Computer.simulated != nil else { return true }
    if let error = Computer.admit(path, { .sync($0) }) {
      throw SystemError("sync \(path)", number: error)
    }
    return false
  }
}
