internal import Glibc

/// A file that is written under a hidden name, and gets its final name when it is complete. If it
/// is destroyed before that, it is removed.
public final class DurableFile {
  /// The final name.
  public let path: String
  private let hiddenPath: String
  private let descriptor: OwnedDescriptor
  private var isPlaced = false

  /// Creates an empty file that becomes `path`. Its folder must exist.
  public init(_ path: String, rights: UInt32 = 0o666) throws(SystemError) {
    self.path = path
    hiddenPath = Durability.hiddenName(beside: path)
    descriptor = try OwnedDescriptor.open(
      hiddenPath, flags: O_RDWR | O_CREAT | O_EXCL, mode: rights)
  }

  deinit {
    if !isPlaced { _ = unsafe unlink(hiddenPath) }
  }

  /// Sets the access rights exactly, whatever the mask of this process.
  public func setRights(_ rights: UInt32) {
    fchmod(descriptor.number, rights)
  }

  /// Copies the access rights of another file, if there is one.
  public func copyRights(of other: String) {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else { return }
    setRights(status.st_mode & 0o777)
  }

  /// Copies the owner, the group and the access rights of another file, as far as this user may.
  public func copyOwner(of other: String) {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else { return }
    // Rights come last: a change of the owner clears some of them.
    _ = fchown(descriptor.number, status.st_uid, status.st_gid)
    setRights(status.st_mode & 0o777)
  }

  /// Appends bytes.
  public func write(_ bytes: Span<UInt8>) throws(SystemError) {
    try descriptor.writeAll(bytes, to: path)
  }

  /// Syncs the file to the disk.
  public func sync() throws(SystemError) { try descriptor.sync(path) }

  /// Reads the synced file back from the disk.
  public func readBack() throws(SystemError) -> [UInt8] {
    // Without this call the kernel would return the bytes from memory; it drops these pages, so the
    // kernel reads the medium.
    _ = posix_fadvise(descriptor.number, 0, 0, Int32(POSIX_FADV_DONTNEED))
    return try WholeFile.read(hiddenPath) ?? []
  }

  /// Gives the file its final name, replacing a former file. The name is on the disk once the
  /// folder is synced.
  public func rename() throws(SystemError) {
    try Durability.rename(hiddenPath, to: path)
    isPlaced = true
  }

  /// Gives the file its final name, as `rename` does, or returns `false` if another file exists
  /// there.
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

  /// Syncs the file and gives it its final name; it replaces a former file only if `replaces` is
  /// true. After the return, a power cut does not undo it.
  public func commit(replaces: Bool) throws(SystemError) {
    try sync()
    try Durability.place(hiddenPath, at: path, replaces: replaces)
    isPlaced = true
  }
}
