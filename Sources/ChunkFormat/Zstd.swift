internal import CZstd

/// Everything we ask of the zstd library: whole frames, in memory.
enum Zstd {
  /// Higher levels search longer for repetitions, of which differences of sensor values have few.
  private static let level: Int32 = 3

  /// The bytes as one frame, or nothing if the library fails (out of memory).
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let bound = ZSTD_compressBound(bytes.count)
    var outcome = 0
    // Safety: both buffers outlive the call, and the library is told their lengths.
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      outcome = unsafe bytes.withUnsafeBytes { bytes in
        unsafe ZSTD_compress(buffer.baseAddress, bound, bytes.baseAddress, bytes.count, level)
      }
      count = ZSTD_isError(outcome) == 0 ? outcome : 0
    }
    return ZSTD_isError(outcome) == 0 ? frame : nil
  }

  /// The content of a frame which must hold exactly `count` bytes; nothing if it does not.
  static func decompress(_ frame: Span<UInt8>, count: Int) -> [UInt8]? {
    var outcome = 0
    // Safety: both buffers outlive the call, and the library is told their lengths. Nothing is
    // allocated before the frame itself has announced the size that is expected.
    let content = unsafe frame.withUnsafeBytes { frame -> [UInt8]? in
      guard
        unsafe ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == UInt64(count)
      else { return nil }
      return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        outcome = unsafe ZSTD_decompress(buffer.baseAddress, count, frame.baseAddress, frame.count)
        filled = outcome == count ? count : 0
      }
    }
    return outcome == count ? content : nil
  }
}
