/// Something that takes an export's bytes in order.
public protocol ByteSink: ~Copyable {
  /// Takes all of the bytes or throws, which ends the export.
  mutating func write(_ bytes: Span<UInt8>) throws
}

/// A sink for what nobody wants.
public struct NoSink: ByteSink {
  /// There is nothing to choose.
  public init() {}

  /// Lets go of the bytes.
  public mutating func write(_ bytes: Span<UInt8>) {}
}
