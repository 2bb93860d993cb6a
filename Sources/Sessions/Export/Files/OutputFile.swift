internal import Glibc
internal import LinuxSystem

/// A file into which a result is written, by the rules of `OutputPlace`.
///
/// A regular file appears under its name when it is whole, or not at all (`DurableFile`). A process
/// that is killed leaves a hidden `.footbridge-….part`, which cannot be taken for a result. A
/// device or a pipe takes the bytes as they come.
public struct OutputFile: ~Copyable, ByteSink {
  private enum Target: ~Copyable {
    case file(DurableFile)
    case stream(OwnedDescriptor)
  }

  /// The path that was asked for.
  public let path: String
  private let target: Target
  private let replaces: Bool

  /// Begins a file that is to be `path`; its folder must exist. A file that is there already is
  /// refused unless it is to be replaced.
  public init(path: String, replaces: Bool = false) throws(ExportError) {
    self.path = path
    self.replaces = replaces
    target = try Self.explained(path) { () throws(OutputRefusal) in
      let place = try OutputPlace(path)
      do throws(SystemError) {
        switch place {
        case .file(_, isThere: true) where !replaces:
          throw SystemError("write \(path)", number: EEXIST)
        case .file(let target, let isThere):
          let file = try DurableFile(target)
          // Who could read the file that is replaced can read the new one.
          if isThere { file.copyRights(of: target) }
          return .file(file)
        case .folder: throw SystemError("write \(path)", number: EISDIR)
        case .stream, .standardOutput:
          // Without waiting: a pipe without a reader would hold us for ever, and signals with us.
          let stream = try OwnedDescriptor.open(path, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
          _ = fcntl(stream.number, F_SETFL, O_WRONLY)
          return .stream(stream)
        }
      } catch {
        throw OutputRefusal(error, writing: path)
      }
    }
  }

  /// Whether it appears when it is whole; else bytes are gone when they are written.
  public var isWholeAtOnce: Bool {
    switch target {
    case .file: true
    case .stream: false
    }
  }

  /// Appends the bytes.
  public mutating func write(_ bytes: Span<UInt8>) throws(ExportError) {
    do throws(SystemError) {
      switch target {
      case .file(let file): try file.write(bytes)
      case .stream(let stream): try stream.writeAll(bytes, to: path)
      }
    } catch {
      throw ExportError(OutputRefusal(error, writing: path))
    }
  }

  /// Makes it the file of its name. When this returns, a power cut does not undo it.
  public consuming func commit() throws(ExportError) {
    do throws(SystemError) {
      if case .file(let file) = target { try file.commit(replaces: replaces) }
    } catch {
      throw ExportError(OutputRefusal(error, writing: path))
    }
  }

  private static func explained(
    _ path: String, _ open: () throws(OutputRefusal) -> Target
  ) throws(ExportError) -> Target {
    do { return try open() } catch { throw ExportError(error) }
  }
}
