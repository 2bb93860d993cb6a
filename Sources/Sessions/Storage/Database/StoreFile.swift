internal import Glibc
internal import LinuxSystem
internal import Recording

/// Manages a store's file and the permissions of its companion files.
enum StoreFile {
  /// Permissions of a new store. Only its owner has access, since recordings reveal people's
  /// whereabouts.
  private static let ownersOnly: mode_t = 0o600

  /// Returns a file's size in bytes; 0 if it does not exist.
  static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether a regular file exists at a path, rather than a folder or a device.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Throws an error if the path refers to a folder. Otherwise, SQLite and the lock file would
  /// report a disk failure.
  static func refuseFolder(_ path: String) throws(StoreError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    throw StoreError(
      .cannotOpen, "cannot open \(path): it is a folder",
      remedy: "give the path of a file in it, as in \(path)/footbridge.sqlite")
  }

  /// Makes a newly created store accessible only to its owner. The store must still be empty.
  static func makePrivate(_ path: String) { unsafe chmod(path, ownersOnly) }

  /// Opens a file next to a store. A new file gets the group and the permissions of the store.
  static func open(
    _ path: String, besides store: String, _ flags: Int32
  ) throws(SystemError) -> OwnedDescriptor {
    let isNew = !Folder.exists(path)
    let descriptor = try OwnedDescriptor.open(path, flags: flags, mode: ownersOnly)
    var status = stat()
    guard isNew, unsafe stat(store, &status) == 0 else { return descriptor }
    // Some media do not support permissions, so a failure to set them is ignored.
    fchown(descriptor.number, uid_t.max, status.st_gid)
    fchmod(descriptor.number, status.st_mode & 0o666)
    return descriptor
  }

  /// Copies the group and the permissions of one file to another.
  static func copyRights(of path: String, to other: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    _ = unsafe chown(other, uid_t.max, status.st_gid)
    unsafe chmod(other, status.st_mode & 0o777)
  }

  /// Whether two paths refer to the same existing file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    FileIdentity(first).map { $0 == FileIdentity(second) } ?? false
  }
}
