internal import Glibc

/// A file that is written under a hidden name and renamed when complete. If this object is
/// destroyed before the rename, the file is removed.
public final class DurableFile {
  /// The file's path after the rename.
  public let path: String
  private let hiddenPath: String
  private let descriptor: OwnedDescriptor
  private var isPlaced = false

  /// Creates an empty file that will be renamed to `path`. The folder that contains `path` must
  /// exist.
  public init(_ path: String, rights: UInt32 = 0o666) throws(SystemError) {
    self.path = path
    hiddenPath = Durability.hiddenName(beside: path)
    descriptor = try OwnedDescriptor.open(
      hiddenPath, flags: O_RDWR | O_CREAT | O_EXCL, mode: rights)
  }

  deinit {
    if !isPlaced { _ = unsafe unlink(hiddenPath) }
  }

  /// Sets the permissions to exactly these bits, regardless of this process's umask.
  public func setRights(_ rights: UInt32) {
    fchmod(descriptor.number, rights)
  }

  /// Copies the permissions of another file, if that file exists.
  public func copyRights(of other: String) {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else { return }
    setRights(status.st_mode & 0o777)
  }

  /// Copies the permissions of another file. Copies its owner and group too, if this user has
  /// permission to set them.
  public func copyOwner(of other: String) {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else { return }
    // Permissions are set last, because a change of owner clears some of them.
    _ = fchown(descriptor.number, status.st_uid, status.st_gid)
    setRights(status.st_mode & 0o777)
  }

  public func write(_ bytes: Span<UInt8>) throws(SystemError) {
    try descriptor.writeAll(bytes, to: path)
  }

  public func sync() throws(SystemError) { try descriptor.sync(path) }

  /// Reads the synced content back from the disk.
  public func readBack() throws(SystemError) -> [UInt8] {
    // Drops the cached pages so that the kernel must read the disk. Otherwise, it would return the
    // bytes from memory.
    _ = posix_fadvise(descriptor.number, 0, 0, Int32(POSIX_FADV_DONTNEED))
    return try WholeFile.read(hiddenPath) ?? []
  }

  /// Renames the file to its final name, replacing any existing file. The name becomes durable when
  /// the folder is synced.
  public func rename() throws(SystemError) {
    try Durability.rename(hiddenPath, to: path)
    isPlaced = true
  }

  /// Renames the file like `rename`, but returns `false` if another file already has the final
  /// name.
  public func renameIfFree() throws(SystemError) -> Bool {
    do throws(SystemError) {
      try Durability.rename(hiddenPath, to: path, replaces: false)
    } catch {
      guard error.number == EEXIST else { throw error }
      return false
    }
    isPlaced = true
    return true
  }

  /// Syncs the file and renames it to its final name. An existing file is replaced only if
  /// `replaces` is true. After this call returns, a power cut cannot undo the change.
  public func commit(replaces: Bool) throws(SystemError) {
    try sync()
    try Durability.place(hiddenPath, at: path, replaces: replaces)
    isPlaced = true
  }
}
