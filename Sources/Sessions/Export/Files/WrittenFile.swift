internal import Glibc
internal import LinuxSystem
public import Values

/// An exported file as listed in the session description next to it, so that `verify` can find a
/// changed byte.
public struct WrittenFile: Hashable, Sendable {
  public var name: String
  public var bytes: Int
  /// BLAKE2b in hexadecimal.
  public var hash: String

  var json: JSONValue { ["name": name.json, "bytes": bytes.json, "blake2b": hash.json] }

  /// Reads and hashes a file, a megabyte at a time. Returns `nil` if it does not exist.
  ///
  /// - Parameter pause: called for each megabyte with the number of bytes read; an error that it
  ///   throws ends the reading.
  public static func read(
    _ path: String, pause: (Int) throws -> Void = { _ in }
  ) throws -> WrittenFile? {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw error
    }
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var sink = HashSink()
    while true {
      try pause(sink.count)
      let count = file.read(into: &piece)
      if count == -Int(EINTR) { continue }
      guard count >= 0 else { throw SystemError("read \(path)", number: Int32(-count)) }
      guard count > 0 else { break }
      sink.write(piece.span.extracting(0..<count))
    }
    return sink.written(as: Folder.name(of: path))
  }
}

extension WrittenFile {
  /// Reads an entry of the description's list of files; `nil` if a member is missing, or if the
  /// file is in another folder.
  public init?(_ json: JSON) {
    guard let name = json["name"]?.text, let bytes = json["bytes"]?.integer,
      let hash = json["blake2b"]?.text, !name.isEmpty, !name.contains("/")
    else { return nil }
    self.init(name: name, bytes: bytes, hash: hash)
  }
}

struct HashSink: ByteSink {
  private var hash = BLAKE2b.Running()
  private(set) var count = 0

  mutating func write(_ bytes: Span<UInt8>) {
    hash.add(bytes)
    count += bytes.count
  }

  func written(as name: String) -> WrittenFile {
    WrittenFile(name: name, bytes: count, hash: Hexadecimal.text(hash.end))
  }
}

/// The members of a description by which an export can be verified.
struct ExportEvidence {
  /// The files written, in order, without the description itself.
  var files: [WrittenFile] = []
  /// The content of each exported stream; `nil` if only a part of the time was exported.
  var content: [StreamContent]?

  mutating func add(_ file: borrowing OutputFile) { files.append(file.written) }

  /// Keeps the files that an earlier export of the same part listed, such as `walk.csv` when
  /// `walk.gpx` is written.
  mutating func keep(_ former: JSON?) {
    let known = Set(files.map(\.name))
    files += (former?["files"]?.list ?? []).compactMap(WrittenFile.init)
      .filter { !known.contains($0.name) }
    content = content ?? former.flatMap { StreamContent.all(in: $0) }
  }

  /// The members as JSON text, each after a comma.
  var text: String {
    let content = content.map { JSONValue.array($0.map(\.json)) } ?? .null
    return #","content":\#(content.text),"files":\#(JSONValue.array(files.map(\.json)).text)"#
  }
}
