internal import Glibc
internal import LinuxSystem

/// Compresses a chunk's columns with libraries, in a short C program: the comparison for our own
/// format.
final class CodecPeer {
  /// The methods of compression.
  enum Method: String, CaseIterable {
    /// Differences in byte planes and zstd, as in version 2 of the format.
    case zstd3 = "zstd-3"
    /// As `zstd3`, at zstd's slow level.
    case zstd19 = "zstd-19"
    /// The axes as channels of libFLAC at its highest level, the other columns as with `zstd19`.
    case flac

    fileprivate var libraries: [String] { self == .flac ? ["-lFLAC", "-lzstd"] : ["-lzstd"] }
    fileprivate var definitions: [String] { self == .flac ? ["-DWITH_FLAC"] : [] }
    fileprivate var absence: String {
      self == .flac
        ? "no C compiler or no libFLAC: apt install gcc libflac-dev"
        : "no C compiler or no libzstd: apt install gcc libzstd-dev"
    }
  }

  /// The reported sizes and times.
  struct Outcome {
    var bytes: Int
    var encodingNanoseconds: Double
    var decodingNanoseconds: Double
  }

  private let folder: TemporaryFolder
  private let method: Method
  private var isFilled = false

  /// Compiles the program; throws if a compiler or library is missing.
  init(_ method: Method) throws {
    guard ChildProcess.locate("cc") != nil else { throw MeasurementError(method.absence) }
    folder = try TemporaryFolder(prefix: "footbridge-bench")
    self.method = method
    try Self.write(Array(Self.source.utf8), to: folder.path + "/peer.c")
    let output = try ChildOutput()
    let compiler = try ChildProcess(
      "cc",
      ["-O2", "-w", "-o", folder.path + "/peer", folder.path + "/peer.c"] + method.definitions
        + method.libraries, inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
    defer { compiler.kill() }
    let reading = output.closeWriting()
    while reading.firstLine(seconds: 60) != nil {}
    guard unsafe access(folder.path + "/peer", X_OK) == 0 else {
      throw MeasurementError(method.absence)
    }
  }

  deinit {
    folder.remove()
  }

  /// Processes all columns this many times.
  func run(_ chunks: [CodecColumns], repeats: Int) throws(MeasurementError) -> Outcome {
    do {
      if !isFilled {
        try Self.write(Self.bytes(of: chunks), to: folder.path + "/columns")
        isFilled = true
      }
      let output = try ChildOutput()
      let child = try ChildProcess(
        folder.path + "/peer", [method.rawValue, folder.path + "/columns", "\(repeats)"],
        inheriting: [(output.writing.number, 1)])
      defer { child.kill() }
      let numbers = output.closeWriting().firstLine(seconds: 600)?
        .split(separator: " ").compactMap { Double($0) }
      guard let numbers, numbers.count == 3 else {
        throw MeasurementError("\(method.rawValue) did not give its columns back")
      }
      return Outcome(
        bytes: Int(numbers[0]), encodingNanoseconds: numbers[1], decodingNanoseconds: numbers[2])
    } catch {
      throw error as? MeasurementError ?? MeasurementError("\(method.rawValue): \(error)")
    }
  }

  /// The number of chunks; then for each the counts of samples, columns and axes, and the columns.
  /// The axes are the last columns.
  private static func bytes(of chunks: [CodecColumns]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append<T: FixedWidthInteger>(_ value: T) {
      for shift in stride(from: 0, to: T.bitWidth, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> T(shift)))
      }
    }
    append(UInt32(chunks.count))
    for chunk in chunks {
      let columns = chunk.time + chunk.axes
      append(UInt32(columns.first?.count ?? 0))
      append(UInt32(columns.count))
      append(UInt32(chunk.axes.count))
      for column in columns {
        for value in column { append(value) }
      }
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try OwnedDescriptor.create(path)
    guard file.write(bytes) == bytes.count else {
      throw MeasurementError("there is no room in \(path)")
    }
  }
}
