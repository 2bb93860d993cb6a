/// A receiver of an export's bytes, in order.
public protocol ByteSink: ~Copyable {
  /// Writes all of the bytes or throws, which ends the export.
  mutating func write(_ bytes: Span<UInt8>) throws
}

/// A sink that only counts its bytes.
///
/// Without the count this would be a value of zero size, which has no address of its own. The race
/// checker would mistake two exports with separate sinks for two that share one.
public struct NoSink: ByteSink {
  /// The number of discarded bytes.
  public private(set) var count = 0

  /// A sink that has discarded no bytes.
  public init() {}

  /// Discards the bytes.
  public mutating func write(_ bytes: Span<UInt8>) { count += bytes.count }
}
