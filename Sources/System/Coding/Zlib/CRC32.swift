internal import CZlib

/// Computes CRC-32 checksums, as used by gzip and PNG.
public enum CRC32 {
  public static func of(_ bytes: Span<UInt8>) -> UInt32 {
    // Safety: the bytes outlive the call, and the library receives their count.
    unsafe bytes.withUnsafeBufferPointer { bytes in
      UInt32(truncatingIfNeeded: unsafe crc32_z(0, bytes.baseAddress, bytes.count))
    }
  }
}
