/// Something that takes an export's bytes in order.
public protocol ByteSink: ~Copyable {
  /// Takes all of the bytes or throws, which ends the export.
  mutating func write(_ bytes: [UInt8]) throws
}
