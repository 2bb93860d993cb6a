internal import CZstd

// Safety: the context is the library's own, valid from init to deinit, and never leaves this type.
/// Makes frames with memory that is kept from one to the next, 150 kB: to ask for it anew costs as much as the
/// compressing itself.
@safe struct Compressor: ~Copyable {
  /// Higher levels search longer for repetitions, of which differences of sensor values have few.
  private static let level: Int32 = 3

  /// `nil` when there is no memory for it: then nothing is compressed.
  private let context: OpaquePointer?

  init() {
    unsafe context = ZSTD_createCCtx()
  }

  deinit {
    unsafe ZSTD_freeCCtx(context)
  }

  /// The bytes as one frame, or nothing if the library fails (out of memory).
  func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard let context = unsafe context else { return nil }
    let bound = ZSTD_compressBound(bytes.count)
    var outcome = 0
    // Safety: both buffers outlive the call, and the library is told their lengths.
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      outcome = unsafe bytes.withUnsafeBytes { bytes in
        unsafe ZSTD_compressCCtx(
          context, buffer.baseAddress, bound, bytes.baseAddress, bytes.count, Self.level)
      }
      count = ZSTD_isError(outcome) == 0 ? outcome : 0
    }
    return ZSTD_isError(outcome) == 0 ? frame : nil
  }
}

/// Reads whole frames, in memory.
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
