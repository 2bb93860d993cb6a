internal import CZlib

/// Compresses and decompresses data with gzip (RFC 1952), mostly HTTP bodies.
///
/// This example sends a body unchanged if it compresses poorly:
///
///     let packed = Gzip.pack(body)
///     let sent = packed ?? body
///     let received = packed == nil ? sent : try Gzip.unpack(sent, limit: 1 << 20)
public enum Gzip {
  /// Returns `nil` if compression would reduce the size by less than a tenth, or if memory is
  /// insufficient.
  public static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    // A window of 15 bits, plus 16 to select the gzip header. Level 6 and memory level 8 are zlib's
    // defaults.
    let outcome = unsafe deflateInit2_(
      &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard outcome == Z_OK else { return nil }
    defer { _ = unsafe deflateEnd(&stream) }
    var packed = [UInt8](repeating: 0, count: bytes.count * 9 / 10)
    // Safety: both buffers outlive the single call, which receives their lengths.
    let end = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe packed.withUnsafeMutableBufferPointer { packed in
        unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.avail_in = UInt32(bytes.count)
        unsafe stream.next_out = packed.baseAddress
        unsafe stream.avail_out = UInt32(packed.count)
        return unsafe deflate(&stream, Z_FINISH)
      }
    }
    guard end == Z_STREAM_END else { return nil }
    packed.removeLast(packed.count - Int(unsafe stream.total_out))
    return packed
  }

  /// The reason decompression failed.
  public enum Problem: Error {
    /// The body is incomplete, or is not in gzip format.
    case malformed
    case tooLarge
  }

  /// Decompresses a body whose content has at most `limit` bytes.
  ///
  /// The body is decompressed twice, and the first pass only counts the bytes. An array that grew
  /// on demand would take twice as much memory.
  public static func unpack(_ body: [UInt8], limit: Int) throws(Problem) -> [UInt8] {
    var count = 0
    try pass(through: body) { piece throws(Problem) in
      count += piece.count
      guard count <= limit else { throw .tooLarge }
    }
    var content: [UInt8] = []
    content.reserveCapacity(count)
    try pass(through: body) { piece throws(Problem) in content += piece }
    return content
  }

  /// Decompresses a single-part body and passes its content to `take` in pieces.
  private static func pass(
    through body: [UInt8], _ take: (ArraySlice<UInt8>) throws(Problem) -> Void
  ) throws(Problem) {
    var stream = try GzipStream()
    var (used, outcome) = (0, Z_OK)
    while outcome == Z_OK {
      let step = stream.step(body, from: used)
      (used, outcome) = (step.used, step.outcome)
      try take(stream.buffer[..<step.count])
    }
    guard outcome == Z_STREAM_END, used == body.count else { throw .malformed }
  }
}
