internal import SessionFolder
internal import LinuxSystem
internal import Storage
internal import Values

/// Runs the upload server of `footbridge` or `footbridge-fleet` in its own process, as a
/// destination for uploads.
final class UploadReceiver {
  /// Seconds to wait until the server accepts connections.
  private static let patience = 60.0

  let url: String
  private let child: ChildProcess
  private let path: String

  /// Starts the server with a store or folder. `words` is a command prefix that can, for example,
  /// run the server in a network namespace.
  init(
    of name: String = "footbridge", into path: String, after words: [String] = [],
    _ options: [String] = ["--listen", "127.0.0.1:0"]
  ) throws {
    let words = words + [try Self.program(name), "receive", "--into", path] + options
    let output = try ChildOutput()
    child = try ChildProcess(
      words[0], Array(words.dropFirst()), inheriting: [(output.writing.number, 1)])
    guard
      let url = output.closeWriting().firstLine(seconds: Self.patience)?.split(separator: " ").last
    else { throw MeasurementError("the receiver did not start") }
    self.path = path
    self.url = String(url)
  }

  deinit {
    end()
  }

  func end() { child.kill() }

  /// Returns the path of another Footbridge program in the same folder as this program.
  static func program(_ name: String = "footbridge") throws(MeasurementError) -> String {
    let ours = ThisProcess.program
    let program = String(ours.lastIndex(of: "/").map { ours[...$0] } ?? "") + name
    guard (try? OwnedDescriptor.open(program, flags: OwnedDescriptor.readOnly)) != nil else {
      throw MeasurementError("\(program) was not found: swift build -c release --product \(name)")
    }
    return program
  }

  /// The server's processor seconds so far; `nil` if it has exited.
  var processorSeconds: Double? { ProcessorClock.nanoseconds(of: child.id).map { $0 / 1e9 } }

  /// Checks that the receiver stored every chunk of a walk, byte for byte.
  func check(_ walk: UploadWalk) throws {
    let sent = try StoreReader(path: walk.path)
    let held = try Self.reader(path)
    var missing = 0
    for id in walk.chunks {
      if held(id) != (try sent.bytes(ofChunk: id)) { missing += 1 }
    }
    guard missing == 0 else {
      throw MeasurementError(
        "\(missing) of \(walk.chunks.count) chunks did not arrive unchanged")
    }
  }

  private static func reader(_ path: String) throws -> (UniqueID) -> [UInt8]? {
    if path.hasSuffix(".sqlite") {
      let reader = SharedReader(try StoreReader(path: path))
      return { try? reader.reader.bytes(ofChunk: $0) }
    }
    let reader = try FolderReader(folder: path)
    return { try? reader.bytes(ofChunk: $0) }
  }

  /// A wrapper that lets closures share a reader.
  private final class SharedReader {
    let reader: StoreReader

    init(_ reader: consuming StoreReader) {
      self.reader = reader
    }
  }
}
