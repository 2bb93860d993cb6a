internal import Glibc

/// The right to record into a store, which one process at a time can have.
///
/// It is a lock of the kernel's on a small file beside the store: it goes with the process however
/// that ends. The file holds the owner's process id, for the message to the one who comes second,
/// and is removed when the owner closes. Not on the database itself: closing any descriptor of a
/// file drops the locks that SQLite holds on it in the same process.
struct StoreLock: ~Copyable {
  private let path: String
  private let descriptor: Int32
  /// Whether an owner before did not get as far as to remove the file.
  let wasLeftBehind: Bool

  private static let retries = 10

  /// Takes the lock, or tells who has it; `doing` says what for.
  init(store: String, doing: String = "record into") throws(StoreError) {
    try StoreFile.refuseFolder(store)
    let path = store + "-lock"
    var tries = 0
    while true {
      let descriptor = StoreFile.open(path, besides: store, O_RDWR | O_CREAT)
      guard descriptor >= 0 else {
        let reason = unsafe String(cString: strerror(errno))
        let kind: StoreError.Kind = [ENOSPC, EDQUOT].contains(errno) ? .full : .cannotOpen
        throw .found(kind, "cannot lock \(store): \(reason)", path: store)
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        // Another process may only be looking for an owner, which takes microseconds, or be taking
        // in the tail of an interrupted recorder.
        tries += 1
        if tries <= Self.retries {
          close(descriptor)
          usleep(20_000)
          continue
        }
        let owner = Self.owner(descriptor).map { "process \($0)" } ?? "another process"
        close(descriptor)
        throw .found(
          .locked, "cannot \(doing) \(store): \(owner) is recording into it", path: store)
      }
      // The owner before us may have removed the file between our open and our lock; then we hold
      // a lock on a file that nobody else will find.
      if Self.isFile(descriptor, at: path) {
        self.path = path
        self.descriptor = descriptor
        wasLeftBehind = Self.owner(descriptor) != nil
        let id = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = unsafe id.withUnsafeBytes { id in
          unsafe pwrite(descriptor, id.baseAddress, id.count, 0)
        }
        return
      }
      close(descriptor)
    }
  }

  /// Whether somebody has the lock now.
  static func isHeld(store: String) -> Bool {
    let descriptor = unsafe open(store + "-lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  deinit {
    // Removed while still locked, so that nobody can have locked it in between.
    unsafe unlink(path)
    close(descriptor)
  }

  /// The id of the process that a lock file speaks of.
  private static func owner(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe pread(descriptor, bytes.baseAddress, bytes.count, 0)
    }
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return Int32(text.prefix { $0 != "\n" })
  }

  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var ours = stat()
    var there = stat()
    return unsafe fstat(descriptor, &ours) == 0 && stat(path, &there) == 0
      && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev
  }
}
