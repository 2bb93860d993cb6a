internal import Glibc
internal import LinuxSystem
public import Recording
internal import Synchronization

/// One file of the tail: frames one after the other, each written with one call, and zeros after
/// them.
///
/// Frames are written over zeros that are on the disk already. So a sync writes their bytes alone;
/// a file that grew would have the file system write its journal as well, each time. The recorder
/// appends, and another thread may bring it to the disk or remove it meanwhile.
public final class TailSegment: Sendable {
  /// Whether the folder names it on the disk; only the thread that syncs asks.
  private let isNamed = Atomic(false)
  /// Bytes of frames and what is before them; only the thread that writes changes it.
  private let end = Atomic(0)
  /// Bytes of the file, zeros included; only the thread that writes asks.
  private let size = Atomic(0)
  /// Zeros that are kept after the last frame at least: what ten boards send in the seconds of an
  /// orderly end. A disk that fills up costs no sample then.
  private static let reserve = 256 << 10
  private static let zeros = [UInt8](repeating: 0, count: 256 << 10)
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
      try StoreFile.open(path, besides: store, O_WRONLY | O_CREAT | O_EXCL)
    }
    let number = tail
    try write(Self.magic + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  /// Bytes of it without the zeros at its end.
  public var length: Int {
    // Safety: relaxed, since the thread that asks has the writer's calls behind it.
    end.load(ordering: .relaxed)
  }

  /// Writes bytes after the others: all of them, or none as far as the next reader is concerned.
  func write(_ bytes: [UInt8]) throws(StoreError) {
    // Safety: relaxed, since one thread alone writes.
    let place = end.load(ordering: .relaxed)
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(bytes.span, to: path, at: place)
    }
    end.store(place + bytes.count, ordering: .relaxed)
    size.store(max(place + bytes.count, size.load(ordering: .relaxed)), ordering: .relaxed)
  }

  /// Makes sure that there are zeros after the frames. Throws when the disk has no room for more.
  func reserve() throws(StoreError) {
    // Safety: relaxed, since one thread alone uses them.
    let size = self.size.load(ordering: .relaxed)
    guard size - end.load(ordering: .relaxed) < Self.reserve else { return }
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(Self.zeros.span, to: path, at: size)
    }
    self.size.store(size + Self.zeros.count, ordering: .relaxed)
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
