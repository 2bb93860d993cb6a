internal import CZstd

/// Reads whole frames, in memory; versions 1 and 2 of the format have them.
enum Zstd {
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
