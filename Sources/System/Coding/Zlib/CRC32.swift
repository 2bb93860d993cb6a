internal import CZlib

/// CRC-32 as in gzip and PNG.
public enum CRC32 {
  /// The checksum of these bytes.
  public static func of(_ bytes: Span<UInt8>) -> UInt32 {
    // Safety: the bytes outlive the call, and the library gets their number.
    unsafe bytes.withUnsafeBufferPointer { bytes in
      UInt32(truncatingIfNeeded: unsafe crc32_z(0, bytes.baseAddress, bytes.count))
    }
  }
}
