internal import Glibc

/// A file that is written under a hidden name, and gets its own when it is whole. Let go of before
/// that, it disappears.
public final class DurableFile {
  /// The name that it will have.
  public let path: String
  private let hiddenPath: String
  private let descriptor: OwnedDescriptor
  private var isPlaced = false

  /// Makes an empty file, which is to be `path`. Its folder must exist.
  public init(_ path: String, rights: UInt32 = 0o666) throws(SystemError) {
    self.path = path
    hiddenPath = Durability.hiddenName(beside: path)
    descriptor = try OwnedDescriptor.open(
      hiddenPath, flags: O_RDWR | O_CREAT | O_EXCL, mode: rights)
  }

  deinit {
    if !isPlaced { _ = unsafe unlink(hiddenPath) }
  }

  /// Lets exactly these users at it, whatever the mask of this process.
  public func setRights(_ rights: UInt32) {
    fchmod(descriptor.number, rights)
  }

  /// Lets those users at it who may use another file, should there be one.
  public func copyRights(of other: String) {
    var status = stat()
    guard unsafe stat(other, &status) == 0 else { return }
    setRights(status.st_mode & 0o777)
  }

  /// Appends bytes.
  public func write(_ bytes: Span<UInt8>) throws(SystemError) {
    try descriptor.writeAll(bytes, to: path)
  }

  /// Brings it to the disk.
  public func sync() throws(SystemError) { try descriptor.sync(path) }

  /// Reads it back from the disk, to which it was brought.
  public func readBack() throws(SystemError) -> [UInt8] {
    // The bytes just written would be read from memory. Without these pages the kernel reads them
    // from the medium.
    _ = posix_fadvise(descriptor.number, 0, 0, Int32(POSIX_FADV_DONTNEED))
    return try WholeFile.read(hiddenPath) ?? []
  }

  /// Gives it its name, in place of a file that has it. The name is on the disk when the folder was
  /// synced.
  public func rename() throws(SystemError) {
    try Durability.rename(hiddenPath, to: path)
    isPlaced = true
  }

  /// Makes it the file of its name, in place of another one only if it `replaces` it. When this
  /// returns, a power cut does not undo it.
  public func commit(replaces: Bool) throws(SystemError) {
    try sync()
    try Durability.place(hiddenPath, at: path, replaces: replaces)
    isPlaced = true
  }
}
