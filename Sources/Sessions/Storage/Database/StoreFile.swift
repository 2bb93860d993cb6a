internal import Glibc
internal import LinuxSystem
internal import Recording

/// The file of a store, and the rights of its companion files.
enum StoreFile {
  /// Rights of a new store: its owner's only, since recordings reveal people's whereabouts.
  private static let ownersOnly: mode_t = 0o600

  /// Bytes of the file at a path; 0 if there is none.
  static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether there is a regular file at a path, not a folder or a device.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Rejects the path of a folder, which SQLite and the lock would report as a failing disk.
  static func refuseFolder(_ path: String) throws(StoreError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    throw StoreError(
      .cannotOpen, "cannot open \(path): it is a folder",
      remedy: "give the path of a file in it, as in \(path)/footbridge.sqlite")
  }

  /// Restricts a newly made, still empty store to its owner.
  static func makePrivate(_ path: String) { unsafe chmod(path, ownersOnly) }

  /// Opens a file beside a store. A new file gets the group and the rights of the store.
  static func open(
    _ path: String, besides store: String, _ flags: Int32
  ) throws(SystemError) -> OwnedDescriptor {
    let isNew = !Folder.exists(path)
    let descriptor = try OwnedDescriptor.open(path, flags: flags, mode: ownersOnly)
    var status = stat()
    guard isNew, unsafe stat(store, &status) == 0 else { return descriptor }
    // Some media have no rights; a failure to set them is ignored.
    fchown(descriptor.number, uid_t.max, status.st_gid)
    fchmod(descriptor.number, status.st_mode & 0o666)
    return descriptor
  }

  /// Gives a file the rights of another.
  static func copyRights(of path: String, to other: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    _ = unsafe chown(other, uid_t.max, status.st_gid)
    unsafe chmod(other, status.st_mode & 0o777)
  }

  /// Whether two paths name one file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    FileIdentity(first).map { $0 == FileIdentity(second) } ?? false
  }
}
