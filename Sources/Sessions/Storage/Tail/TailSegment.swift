internal import Glibc
internal import LinuxSystem
public import Recording
internal import Synchronization

/// One file of the tail: frames one after the other, each written with one call.
///
/// The recorder appends, and another thread may bring it to the disk or remove it meanwhile.
public final class TailSegment: Sendable {
  /// Whether the folder names it on the disk; only the thread that syncs asks.
  private let isNamed = Atomic(false)
  /// Bytes of the file that the disk keeps free for it; only the thread that writes asks.
  private let reserved = Atomic(0)
  /// Bytes that are kept free after the last that was written: what ten boards send in the seconds
  /// of an orderly end. A disk that fills up costs no sample then.
  private static let reserve = 256 << 10
  private static let reserveStep = 256 << 10
  /// Begins each file; the number that belongs to its frames follows.
  static let magic: [UInt8] = Array("FBTAIL1\n".utf8)
  static let headerSize = 16

  /// Where it is.
  let path: String
  private let descriptor: OwnedDescriptor
  /// What its frames are known by.
  let tail: UInt64

  /// Makes an empty one beside the store.
  init(store: String, number: UInt64) throws(StoreError) {
    path = TailFiles.path(store: store, number: number)
    tail = UInt64.random(in: .min ... .max)
    descriptor = try StoreError.explained("make", path) { [path] () throws(SystemError) in
      try StoreFile.open(path, besides: store, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
    }
    let number = tail
    try write(Self.magic + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  /// Writes bytes at the end: all of them, or none as far as the next reader is concerned.
  func write(_ bytes: [UInt8]) throws(StoreError) {
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(bytes.span, to: path)
    }
  }

  /// Has the disk keep room after so many bytes. File systems that cannot promise that are left
  /// alone.
  func reserve(after written: Int) throws(StoreError) {
    // Safety: relaxed, since one thread alone uses it.
    let reserved = self.reserved.load(ordering: .relaxed)
    guard written + Self.reserve > reserved else { return }
    let wanted = written + Self.reserve + Self.reserveStep
    let refusal = descriptor.reserve(wanted)
    if refusal == ENOSPC || refusal == EDQUOT { throw .system("write to", path, refusal) }
    self.reserved.store(wanted, ordering: .relaxed)
  }

  /// Returns when everything that was written before is on the disk.
  public func sync() throws(StoreError) {
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.syncBytes(path)
      // Safety: relaxed, since nothing else is ordered by it; syncing the folder twice does no
      // harm.
      guard !isNamed.load(ordering: .relaxed) else { return }
      try Durability.sync(folder: Folder.containing(path))
      isNamed.store(true, ordering: .relaxed)
    }
  }

  /// Removes the file; what it held is stored, or stands in a later one.
  public func remove() {
    TailFiles.remove(path)
  }
}
