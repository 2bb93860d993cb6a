internal import Values

/// The reason a notification could not be decoded.
///
/// A bad packet is data: the reader counts it, keeps it and continues.
public enum DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Shorter than its header announces.
  case truncated(expected: Int, found: Int)
  /// Not a packet of the decoder's stream or reply.
  case otherPacket
  /// A code missing from the chip's table, and its offset in the packet.
  case unknownCode(UInt8, at: Int)
  /// A number that is not finite, and its offset in the packet.
  case notFinite(at: Int)

  /// The reason in one line.
  public var description: String {
    switch self {
    case .truncated(let expected, let found):
      "packet of \(found) bytes, expected at least \(expected)"
    case .otherPacket:
      "packet of another register"
    case .unknownCode(let code, let offset):
      "unknown code \(Hexadecimal.text([code])) at byte \(offset)"
    case .notFinite(let offset):
      "non-finite number at byte \(offset)"
    }
  }
}
