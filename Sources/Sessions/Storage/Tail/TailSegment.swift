internal import ChunkFormat
internal import Glibc
internal import LinuxSystem
public import Recording
internal import Synchronization
internal import Values

/// One file of the tail: consecutive frames, each written with one call. Zeros follow them, and may
/// precede a frame that begins a block.
///
/// Frames overwrite zeros that are already on the disk, so a sync writes only their bytes. With a
/// growing file, the file system would also write its journal each time. The recorder appends;
/// another thread may sync the file or remove it meanwhile.
public final class TailSegment: Sendable {
  /// Whether the file's directory entry is on the disk; only the syncing thread uses it.
  private let isNamed = Atomic(false)
  /// End of the frames in bytes, including the header; only the writing thread changes it.
  private let end = Atomic(0)
  /// Bytes of the file, including zeros; only the writing thread uses it.
  private let size = Atomic(0)
  /// The fewest zeros after the last frame: enough for the data of ten boards during the seconds of
  /// an orderly end. So a disk that fills up loses no sample.
  private static let reserve = 256 << 10
  private static let zeros = [UInt8](repeating: 0, count: 256 << 10)
  /// The first bytes of each file; the number of its frames follows.
  static let magic: [UInt8] = Array("FBTAIL1\n".utf8)
  static let headerSize = 16

  /// Path of the file.
  let path: String
  private let descriptor: OwnedDescriptor
  /// The number that identifies the file's frames.
  let tail: UInt64

  /// Creates an empty file beside the store.
  init(store: String, number: UInt64) throws(StoreError) {
    path = TailFiles.path(store: store, number: number)
    tail = Chance().next()
    descriptor = try StoreError.explained("make", path) { [path] () throws(SystemError) in
      try StoreFile.open(path, besides: store, O_WRONLY | O_CREAT | O_EXCL)
    }
    let number = tail
    try write(Self.magic + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  /// Whether the path still leads to this file.
  public var isInPlace: Bool {
    FileIdentity(descriptor).map { $0 == FileIdentity(path) } ?? false
  }

  /// Bytes of the file without the zeros at its end.
  public var length: Int {
    // Safety: relaxed, since the writer's calls precede the caller's.
    end.load(ordering: .relaxed)
  }

  /// Appends bytes: the next reader finds either all of them or none.
  func write(_ bytes: [UInt8]) throws(StoreError) {
    // Safety: relaxed, since only one thread writes.
    let place = end.load(ordering: .relaxed)
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(bytes.span, to: path, at: place)
    }
    end.store(place + bytes.count, ordering: .relaxed)
    size.store(max(place + bytes.count, size.load(ordering: .relaxed)), ordering: .relaxed)
  }

  /// Moves the next bytes to the beginning of a block, if there are zeros up to it.
  func beginBlock() {
    let place = TailBlock.beginning(from: length)
    // Safety: relaxed, since only one thread uses them.
    guard place <= size.load(ordering: .relaxed) else { return }
    end.store(place, ordering: .relaxed)
  }

  /// Ensures that zeros follow the frames. Throws if the disk has no space for more.
  func reserve() throws(StoreError) {
    // Safety: relaxed, since only one thread uses them.
    let size = self.size.load(ordering: .relaxed)
    guard size - end.load(ordering: .relaxed) < Self.reserve else { return }
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(Self.zeros.span, to: path, at: size)
    }
    self.size.store(size + Self.zeros.count, ordering: .relaxed)
  }

  /// Returns when all bytes written earlier are on the disk.
  public func sync() throws(StoreError) {
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.syncBytes(path)
      // Safety: relaxed, since nothing else is ordered by it; syncing the folder twice is harmless.
      guard !isNamed.load(ordering: .relaxed) else { return }
      try Durability.sync(folder: Folder.containing(path))
      isNamed.store(true, ordering: .relaxed)
    }
  }

  /// Removes the file; its content is in the store or in a later file.
  public func remove() {
    TailFiles.remove(path)
  }
}
