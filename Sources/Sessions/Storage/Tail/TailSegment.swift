internal import ChunkFormat
internal import Glibc
internal import LinuxSystem
public import Recording
internal import Synchronization
internal import Values

/// One file of the tail. It contains consecutive frames, each of which was written with a single
/// call. Zeros follow the frames, and may also precede a frame that begins on a block boundary.
///
/// Frames overwrite zeros that are already on disk, so a sync writes only the frames' bytes. If the
/// file grew instead, the file system would also have to write to its journal each time. While the
/// recorder appends, another thread may sync or remove the file.
public final class TailSegment: Sendable {
  /// Whether the file's directory entry is on disk. Only the syncing thread uses this value.
  private let isNamed = Atomic(false)
  /// Byte offset at which the frames end, including the header. Only the writing thread changes it.
  private let end = Atomic(0)
  /// File size in bytes, including zeros. Only the writing thread uses it.
  private let size = Atomic(0)
  /// Minimum number of zeros after the last frame. This is enough for the data from ten boards
  /// during the few seconds of an orderly shutdown. Even when the disk fills up, the samples that
  /// arrive during the shutdown are therefore stored.
  private static let reserve = 256 << 10
  private static let zeros = [UInt8](repeating: 0, count: 256 << 10)
  /// The first bytes of each file. The number in `tail` follows them.
  static let magic: [UInt8] = Array("FBTAIL1\n".utf8)
  static let headerSize = 16

  let path: String
  private let descriptor: OwnedDescriptor
  /// A random number that identifies the file. The file's frames include it in their checksums.
  let tail: UInt64

  /// Creates a file next to the store, and writes its header.
  init(store: String, number: UInt64) throws(StoreError) {
    path = TailFiles.path(store: store, number: number)
    tail = Chance().next()
    descriptor = try StoreError.explained("make", path) { [path] () throws(SystemError) in
      try StoreFile.open(path, besides: store, O_WRONLY | O_CREAT | O_EXCL)
    }
    let number = tail
    try write(Self.magic + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
  }

  /// Whether `path` still refers to the open file.
  public var isInPlace: Bool {
    FileIdentity(descriptor).map { $0 == FileIdentity(path) } ?? false
  }

  /// File size in bytes without the zeros at its end.
  public var length: Int {
    // Safety: relaxed ordering suffices, since the caller reads the value only after the writer's
    // calls.
    end.load(ordering: .relaxed)
  }

  /// Appends bytes. The next reader finds either all of them or none.
  func write(_ bytes: [UInt8]) throws(StoreError) {
    // Safety: relaxed ordering suffices, since only one thread writes.
    let place = end.load(ordering: .relaxed)
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(bytes.span, to: path, at: place)
    }
    end.store(place + bytes.count, ordering: .relaxed)
    size.store(max(place + bytes.count, size.load(ordering: .relaxed)), ordering: .relaxed)
  }

  /// Skips to the next block boundary, provided that the file already contains zeros up to it.
  func beginBlock() {
    let place = TailBlock.beginning(from: length)
    // Safety: relaxed ordering suffices, since only one thread uses the values.
    guard place <= size.load(ordering: .relaxed) else { return }
    end.store(place, ordering: .relaxed)
  }

  /// Ensures that enough zeros follow the frames. Throws an error if the disk does not have space
  /// for more.
  func reserve() throws(StoreError) {
    // Safety: relaxed ordering suffices, since only one thread uses the values.
    let size = self.size.load(ordering: .relaxed)
    guard size - end.load(ordering: .relaxed) < Self.reserve else { return }
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.writeAll(Self.zeros.span, to: path, at: size)
    }
    self.size.store(size + Self.zeros.count, ordering: .relaxed)
  }

  /// Waits until all bytes written before this call are on disk.
  public func sync() throws(StoreError) {
    try StoreError.explained("write to", path) { () throws(SystemError) in
      try descriptor.syncBytes(path)
      // Safety: relaxed ordering suffices, since no other memory access depends on the flag.
      // Syncing the folder twice does no harm.
      guard !isNamed.load(ordering: .relaxed) else { return }
      try Durability.sync(folder: Folder.containing(path))
      isNamed.store(true, ordering: .relaxed)
    }
  }

  /// Removes the file. Its contents must already be in the store or in a later file.
  public func remove() {
    TailFiles.remove(path)
  }
}
