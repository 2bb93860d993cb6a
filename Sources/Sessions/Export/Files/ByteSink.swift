/// A destination for an export's bytes, which are written in order.
public protocol ByteSink: ~Copyable {
  /// Writes all the bytes. A thrown error ends the export.
  mutating func write(_ bytes: Span<UInt8>) throws
}

/// A sink that discards all bytes and counts them.
///
/// Without the count, this type would have size zero, and its values would have no distinct
/// addresses. The race detector would then mistake the separate sinks of two exports for a shared
/// one.
public struct NoSink: ByteSink {
  public private(set) var count = 0

  public init() {}

  public mutating func write(_ bytes: Span<UInt8>) { count += bytes.count }
}
