/// Something that takes an export's bytes in order.
public protocol ByteSink: ~Copyable {
  /// Takes all of the bytes or throws, which ends the export.
  mutating func write(_ bytes: Span<UInt8>) throws
}

/// A sink that only counts its bytes.
///
/// Without the count it would be a value of no size, and those have no address of their own: the
/// race checker would take two exports that write to theirs for two that write to one.
public struct NoSink: ByteSink {
  /// How many bytes it let go of.
  public private(set) var count = 0

  /// There is nothing to choose.
  public init() {}

  /// Lets go of the bytes.
  public mutating func write(_ bytes: Span<UInt8>) { count += bytes.count }
}
