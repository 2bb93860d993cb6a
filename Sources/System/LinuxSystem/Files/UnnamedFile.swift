internal import CLinux
internal import Glibc

/// A temporary file without a name, for data that is too large for memory. It disappears together
/// with this object, or when the process ends for any reason.
///
/// A single thread appends bytes. After that, any thread can read them.
public final class UnnamedFile: Sendable {
  private let descriptor: OwnedDescriptor
  private let folder: String
  private let size = Guarded(0)

  /// Creates an empty file in `TMPDIR`, or else in `/var/tmp`, which is on a disk. `/tmp` is not
  /// used, because it may be in memory.
  public init() throws(SystemError) {
    folder = TemporaryPlace.large
    var template = Array(TemporaryPlace.template("footbridge", in: folder))
    let number = unsafe clinux_unnamed_file(&template, O_CLOEXEC)
    guard number >= 0 else { throw SystemError("create a temporary file in \(folder)") }
    descriptor = OwnedDescriptor(owning: number)
  }

  public var count: Int { size.withLock { $0 } }

  public func append(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes.span
    while !rest.isEmpty {
      let written = descriptor.write(rest)
      if written == -Int(EINTR) { continue }
      guard written > 0 else {
        throw SystemError("write a temporary file in \(folder)", number: Int32(-written))
      }
      rest = rest.extracting(droppingFirst: written)
      size.withLock { $0 += written }
    }
  }

  /// Reads bytes at an offset into a buffer. Returns the number of bytes read, which is 0 at the
  /// end of the file, or minus `errno`.
  public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe pread(descriptor.number, buffer.baseAddress, buffer.count, offset)
    return count < 0 ? -Int(errno) : count
  }
}
