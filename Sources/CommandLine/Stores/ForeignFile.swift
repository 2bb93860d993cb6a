internal import Coding
internal import LinuxSystem
internal import Recording

/// Reads tables of samples written by other programs. The tables may be compressed with gzip.
enum ForeignFile {
  /// Assesses files, and shows the progress across all of them. Returns the hash of each file's
  /// bytes, by its path.
  static func judge(
    _ paths: [String], _ progress: ReadingProgress
  ) throws -> (files: [AuditedFile], hashes: [String: [UInt8]]) {
    var (files, hashes) = ([AuditedFile](), [String: [UInt8]]())
    let total = size(of: paths)
    var before = 0
    for path in paths {
      var file = AuditedFile(path: path)
      let read = try read(&file, { try progress(before + $0, total) }, piece: { _ in })
      before += read.bytes
      hashes[path] = read.hash
      files.append(file)
    }
    return (files, hashes)
  }

  static func size(of paths: [String]) -> Int {
    paths.reduce(0) { $0 + Int((try? FileSystem.size(at: $1)) ?? 0) }
  }

  /// Reads a file in pieces of 1 MiB. Calls `piece` after each piece and at the end of the file.
  /// Returns the number and the hash of the bytes.
  static func read(
    _ file: inout AuditedFile, _ progress: (Int) throws -> Void,
    piece: (inout AuditedFile) throws -> Void
  ) throws -> (bytes: Int, hash: [UInt8]) {
    let pieces = try Pieces(path: file.path)
    /// Reads the next mebibyte. Returns no bytes at the end of the file.
    func next() throws -> [UInt8] {
      let bytes = try pieces.next()
      try progress(pieces.count)
      return bytes
    }
    var bytes = try next()
    if bytes.starts(with: [0x1f, 0x8b]) {
      do {
        var stream = try GzipStream()
        while !bytes.isEmpty, file.problem == nil {
          try stream.take(bytes) { file.take($0) }
          try piece(&file)
          bytes = try next()
        }
        file.isCutInside = !stream.isComplete && file.problem == nil
      } catch is Gzip.Problem {
        file.isDamagedInside = true
      }
    } else {
      while !bytes.isEmpty, file.problem == nil {
        file.take(bytes[...])
        try piece(&file)
        bytes = try next()
      }
    }
    file.finish()
    try piece(&file)
    return (pieces.count, pieces.hash)
  }

  /// A file's bytes, 1 MiB at a time.
  private final class Pieces {
    private let path: String
    private let descriptor: OwnedDescriptor
    private var hasher = SHA256.Running()
    private(set) var count = 0

    init(path: String) throws(SystemError) {
      self.path = path
      descriptor = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnly)
    }

    func next() throws(SystemError) -> [UInt8] {
      let bytes = try descriptor.readAll(of: path, upTo: (1 << 20) - 1)
      hasher.add(bytes)
      count += bytes.count
      return bytes
    }

    /// The hash of all bytes that were read. Ends the reading.
    var hash: [UInt8] {
      var empty = SHA256.Running()
      swap(&empty, &hasher)
      return empty.end()
    }
  }
}
