internal import Glibc
internal import LinuxSystem

/// A file that appears under its name when it is whole, or not at all.
///
/// It is written under a hidden name in the same folder; `commit()` brings it to the disk and
/// renames it, replacing what was there. Let go of before that, it disappears. A process that is
/// killed leaves the hidden `.footbridge-….part`, which nobody takes for a result.
public struct AtomicFile: ~Copyable, ByteSink {
  /// The name it will have.
  public let path: String
  private let folder: String
  private let temporaryPath: String
  private let descriptor: OwnedDescriptor
  private var isCommitted = false

  /// Begins a file that is to be `path`; its folder must exist.
  public init(path: String) throws(ExportError) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? "./"
    let number = UInt64.random(in: .min ... .max)
    let temporaryPath = folder + ".footbridge-" + String(number, radix: 16) + ".part"
    do throws(SystemError) {
      descriptor = try OwnedDescriptor.open(
        temporaryPath, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    } catch {
      throw ExportError(writing: path, number: error.number)
    }
    self.path = path
    self.folder = folder
    self.temporaryPath = temporaryPath
  }

  deinit {
    if !isCommitted { _ = unsafe unlink(temporaryPath) }
  }

  /// Appends the bytes.
  public mutating func write(_ bytes: Span<UInt8>) throws(ExportError) {
    var done = 0
    while done < bytes.count {
      let count = descriptor.write(bytes.extracting(done...))
      if count == -Int(EINTR) { continue }
      guard count > 0 else { throw ExportError(writing: path, number: Int32(-count)) }
      done += count
    }
  }

  /// Makes it the file of its name. When this returns, a power cut does not undo it.
  public consuming func commit() throws(ExportError) {
    guard fsync(descriptor.number) == 0, unsafe rename(temporaryPath, path) == 0 else {
      throw ExportError(writing: path, number: errno)
    }
    isCommitted = true
    do throws(SystemError) {
      let folder = try OwnedDescriptor.open(folder, flags: O_RDONLY | O_DIRECTORY)
      guard fsync(folder.number) == 0 else { throw SystemError("sync \(self.folder)") }
    } catch {
      throw ExportError(writing: path, number: error.number)
    }
  }
}
