internal import CZlib

/// Decompresses a gzip file of any length piece by piece.
@safe public struct GzipStream: ~Copyable {
  // Safety: only this value knows the pointer. The library keeps the structure's address, so the
  // structure cannot be a property, which moves with its owner.
  private let stream: UnsafeMutablePointer<z_stream>
  private(set) var buffer = [UInt8](repeating: 0, count: 64 << 10)
  /// Whether the bytes so far form a complete gzip file, in which case the file may end here.
  public private(set) var isComplete = false

  /// Throws if memory is insufficient.
  public init() throws(Gzip.Problem) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe czlib_begin_unpacking(stream) == Z_OK else {
      unsafe stream.deallocate()
      throw .malformed
    }
  }

  deinit {
    _ = unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Decompresses the next bytes of the file, and passes their content on in pieces of at most 64
  /// KiB. A file may consist of several parts, each compressed separately.
  public mutating func take(
    _ bytes: [UInt8], _ pass: (ArraySlice<UInt8>) -> Void
  ) throws(Gzip.Problem) {
    var used = 0
    var isFull = false
    while used < bytes.count || isFull {
      if isComplete {
        guard unsafe inflateReset(stream) == Z_OK else { throw .malformed }
        isComplete = false
      }
      let (outcome, end, count) = step(bytes, from: used)
      used = end
      if count > 0 { pass(buffer[..<count]) }
      // If the buffer is full, the library may still be holding content from the bytes that it has
      // received.
      isFull = count == buffer.count
      switch outcome {
      case Z_OK: break
      case Z_STREAM_END:
        isComplete = true
        isFull = false
      // The library needs more bytes.
      case Z_BUF_ERROR: return
      default: throw .malformed
      }
    }
  }

  /// Fills the buffer once. Returns the library's result, the index of the first unused byte, and
  /// the length of the content.
  mutating func step(
    _ bytes: [UInt8], from start: Int
  ) -> (outcome: Int32, used: Int, count: Int) {
    // Safety: both buffers outlive the single call, which receives their lengths.
    unsafe bytes[start...].withUnsafeBufferPointer { bytes in
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        unsafe stream.pointee.next_out = buffer.baseAddress
        unsafe stream.pointee.avail_out = UInt32(buffer.count)
        let outcome = unsafe inflate(stream, Z_NO_FLUSH)
        return unsafe (
          outcome, start + bytes.count - Int(stream.pointee.avail_in),
          buffer.count - Int(stream.pointee.avail_out)
        )
      }
    }
  }
}
