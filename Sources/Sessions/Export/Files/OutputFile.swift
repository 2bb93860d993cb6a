internal import Glibc
public import LinuxSystem
internal import Values

extension OutputRefusal {
  /// Performs an operation that writes to a path, and converts its errors for the user.
  static func writing<Result: ~Copyable>(
    _ path: String, _ operation: () throws(SystemError) -> Result
  ) throws(OutputRefusal) -> Result {
    do throws(SystemError) {
      return try operation()
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }
}

/// A file for the output of a command, written according to the rules of `OutputPlace`.
///
/// A regular file appears under its name only when it is complete (`DurableFile`). A killed process
/// leaves a hidden `.footbridge-….part`, which cannot be mistaken for a result. A device or a pipe
/// receives the bytes as they are written.
public struct OutputFile: ~Copyable, ByteSink {
  private enum Target: ~Copyable {
    case file(DurableFile)
    case stream(OwnedDescriptor)
  }

  public let path: String
  private let target: Target
  private let replaces: Bool
  private var sum = HashSink()

  /// Starts writing a file at `path`, whose folder must exist. Throws an error if the file exists,
  /// unless `replaces` is true.
  public init(path: String, replaces: Bool = false) throws(OutputRefusal) {
    self.path = path
    self.replaces = replaces
    let place = try OutputPlace(path)
    do throws(SystemError) {
      switch place {
      case .file(_, isThere: true) where !replaces:
        throw SystemError("write \(path)", number: EEXIST)
      case .file(let former, let isThere):
        let file = try DurableFile(former)
        // The new file inherits the permissions of the file that it replaces.
        if isThere { file.copyRights(of: former) }
        target = .file(file)
      case .folder: throw SystemError("write \(path)", number: EISDIR)
      case .stream, .standardOutput:
        // Opens without blocking. Opening a pipe without a reader would otherwise block forever,
        // and delay the handling of signals.
        let stream = try OwnedDescriptor.open(path, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
        _ = fcntl(stream.number, F_SETFL, O_WRONLY)
        target = .stream(stream)
      }
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }

  /// Whether the file appears only when it is complete. Bytes written to a pipe or device cannot be
  /// withdrawn.
  public var isWholeAtOnce: Bool {
    switch target {
    case .file: true
    case .stream: false
    }
  }

  /// The name, the length and the hash of the bytes written so far.
  var written: WrittenFile { sum.written(as: Folder.name(of: path)) }

  public mutating func write(_ bytes: Span<UInt8>) throws(OutputRefusal) {
    sum.write(bytes)
    try OutputRefusal.writing(path) { () throws(SystemError) in
      switch target {
      case .file(let file): try file.write(bytes)
      case .stream(let stream): try stream.writeAll(bytes, to: path)
      }
    }
  }

  /// Renames the file to its final path. When this returns, the rename is on disk and survives a
  /// power cut.
  public consuming func commit() throws(OutputRefusal) {
    do throws(SystemError) {
      if case .file(let file) = target { try file.commit(replaces: replaces) }
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }
}
