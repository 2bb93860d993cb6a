internal import CZlib

/// A body that is sent gzipped (RFC 1952).
public enum GzippedText {
  /// The packed bytes; `nil` where that saves less than a tenth, or there is no memory.
  public static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    // 15 bits of window and 16 for gzip's head; level 6 and 8 for memory are what zlib takes by
    // itself.
    let outcome = unsafe deflateInit2_(
      &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard outcome == Z_OK else { return nil }
    defer { _ = unsafe deflateEnd(&stream) }
    var packed = [UInt8](repeating: 0, count: bytes.count * 9 / 10)
    // Safety: both buffers outlive the one call that is told their lengths.
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
}
