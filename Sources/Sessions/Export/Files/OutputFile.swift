internal import Glibc
internal import LinuxSystem

/// A file into which a result is written, by the rules of `OutputPlace`.
///
/// A regular file appears under its name when it is whole, or not at all: it is written under a
/// hidden name beside it, and `commit()` brings it to the disk and renames it. Let go of before
/// that, it disappears. A process that is killed leaves the hidden `.footbridge-….part`, which
/// cannot be taken for a result. A device or a pipe takes the bytes as they come.
public struct OutputFile: ~Copyable, ByteSink {
  /// The path that was asked for.
  public let path: String
  /// The path it will have: that at the end of links.
  private let target: String
  /// Its path until it is whole; `nil` for a device or a pipe.
  private let temporaryPath: String?
  private let replaces: Bool
  private let descriptor: OwnedDescriptor
  private var isCommitted = false

  /// Begins a file that is to be `path`; its folder must exist. A file that is there already is
  /// refused unless it is to be replaced.
  public init(path: String, replaces: Bool = false) throws(ExportError) {
    let place = try Self.place(path)
    let target: String
    let temporaryPath: String?
    let flags: Int32
    switch place {
    case .file(_, isThere: true) where !replaces: throw ExportError(OutputPlace.occupied(path))
    case .file(let file, _):
      target = file
      let number = UInt64.random(in: .min ... .max)
      temporaryPath = Folder.containing(file) + ".footbridge-" + String(number, radix: 16) + ".part"
      flags = O_WRONLY | O_CREAT | O_EXCL
    case .folder: throw ExportError(writing: path, number: EISDIR)
    case .stream, .standardOutput:
      target = path
      temporaryPath = nil
      // Without waiting: a pipe without a reader would hold us for ever, and signals with us.
      flags = O_WRONLY | O_NOCTTY | O_NONBLOCK
    }
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.open(temporaryPath ?? target, flags: flags, mode: 0o666)
    } catch {
      throw ExportError(writing: path, number: error.number)
    }
    if temporaryPath == nil { _ = fcntl(file.number, F_SETFL, O_WRONLY) }
    if place == .file(target, isThere: true) { Self.copyRights(of: target, to: file) }
    descriptor = file
    self.target = target
    self.path = path
    self.temporaryPath = temporaryPath
    self.replaces = replaces
  }

  deinit {
    if !isCommitted, let temporaryPath { _ = unsafe unlink(temporaryPath) }
  }

  /// Whether it appears when it is whole; else bytes are gone when they are written.
  public var isWholeAtOnce: Bool { temporaryPath != nil }

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
    guard let temporaryPath else { return }
    guard fsync(descriptor.number) == 0 else { throw ExportError(writing: path, number: errno) }
    do throws(OutputRefusal) {
      try OutputPlace.put(temporaryPath, at: target, replaces: replaces, name: path)
    } catch {
      throw ExportError(error)
    }
    isCommitted = true
  }

  private static func place(_ path: String) throws(ExportError) -> OutputPlace {
    do throws(OutputRefusal) { return try OutputPlace(path) } catch { throw ExportError(error) }
  }

  /// Who could read the file that is replaced can read the new one.
  private static func copyRights(of path: String, to file: borrowing OwnedDescriptor) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    fchmod(file.number, status.st_mode & 0o777)
  }
}
