internal import Glibc

/// How files and folders outlive a power cut, for everything that is written: a file is synced, it
/// gets its name, and the folder that holds the name is synced.
public enum Durability {
  /// Brings a file to the disk.
  public static func sync(file path: String) throws(SystemError) {
    try OwnedDescriptor.open(path, flags: O_RDONLY).sync(path)
  }

  /// Brings the names in a folder to the disk.
  public static func sync(folder path: String) throws(SystemError) {
    let folder = try OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
    // Some network and user-space file systems have nothing to sync in a folder, and say so like
    // this. What they were given is as safe as they make it.
    guard fsync(folder.number) == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw SystemError("sync \(path)")
    }
  }

  /// A hidden name, taken by no other, for something that gets the name `path` when it is whole.
  public static func hiddenName(beside path: String) -> String {
    Folder.containing(path) + hiddenPrefix
      + String(UInt64.random(in: .min ... .max), radix: 16) + hiddenEnding
  }

  private static let hiddenPrefix = ".footbridge-"
  /// How hidden names end.
  public static let hiddenEnding = ".part"

  /// Gives something synced, on the same disk, the name that it is to have, in place of a former
  /// file if it `replaces` one. When this returns, a power cut does not undo it.
  public static func place(
    _ former: String, at path: String, replaces: Bool = true
  ) throws(SystemError) {
    try rename(former, to: path, replaces: replaces)
    try sync(folder: Folder.containing(path))
  }

  /// Gives something another name, which is durable when its folder was synced.
  public static func rename(
    _ former: String, to path: String, replaces: Bool = true
  ) throws(SystemError) {
    let isDone =
      unsafe replaces ? Glibc.rename(former, path) == 0 : isNamed(former, path)
    guard isDone else { throw SystemError("write \(path)") }
  }

  /// Gives a file another name unless there is a file of that name: whether it could, or `errno`.
  private static func isNamed(_ former: String, _ path: String) -> Bool {
    if unsafe link(former, path) == 0 {
      _ = unsafe unlink(former)
      return true
    }
    // A file system without second names, such as a stick's: the look and the renaming are then two
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
  /// Brings the file to the disk; `path` is for the error.
  public func sync(_ path: String) throws(SystemError) {
    guard fsync(number) == 0 else { throw SystemError("sync \(path)") }
  }

  /// Brings the bytes of the file to the disk, and of what is known about it only what is needed to
  /// read them; `path` is for the error.
  public func syncBytes(_ path: String) throws(SystemError) {
    guard fdatasync(number) == 0 else { throw SystemError("sync \(path)") }
  }
}
