internal import Glibc
public import LinuxSystem

/// A file for a result, written by the rules of `OutputPlace`.
///
/// A regular file appears under its name when it is complete, or not at all (`DurableFile`). A
/// killed process leaves a hidden `.footbridge-….part`, which cannot be mistaken for a result. A
/// device or a pipe receives the bytes as they are written.
public struct OutputFile: ~Copyable, ByteSink {
  private enum Target: ~Copyable {
    case file(DurableFile)
    case stream(OwnedDescriptor)
  }

  /// The path that the caller asked for.
  public let path: String
  private let target: Target
  private let replaces: Bool

  /// Begins a file that becomes `path`; its folder must exist. An existing file is refused unless
  /// `replaces` is true.
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
        // The new file has the access rights of the file that it replaces.
        if isThere { file.copyRights(of: former) }
        target = .file(file)
      case .folder: throw SystemError("write \(path)", number: EISDIR)
      case .stream, .standardOutput:
        // Non-blocking: opening a pipe without a reader would block forever, and so would signals.
        let stream = try OwnedDescriptor.open(path, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
        _ = fcntl(stream.number, F_SETFL, O_WRONLY)
        target = .stream(stream)
      }
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }

  /// Whether the file appears only when it is complete; the bytes of a pipe or device cannot be
  /// taken back.
  public var isWholeAtOnce: Bool {
    switch target {
    case .file: true
    case .stream: false
    }
  }

  /// Appends the bytes.
  public mutating func write(_ bytes: Span<UInt8>) throws(OutputRefusal) {
    do throws(SystemError) {
      switch target {
      case .file(let file): try file.write(bytes)
      case .stream(let stream): try stream.writeAll(bytes, to: path)
      }
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }

  /// Gives the file its name. After the return, a power cut does not undo it.
  public consuming func commit() throws(OutputRefusal) {
    do throws(SystemError) {
      if case .file(let file) = target { try file.commit(replaces: replaces) }
    } catch {
      throw OutputRefusal(error, writing: path)
    }
  }
}
