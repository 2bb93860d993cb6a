internal import Values

/// The reason a notification could not be decoded.
///
/// A malformed packet does not stop the reader: it counts and stores the packet, and continues.
public enum DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The packet is shorter than its header requires. Lengths are in bytes.
  case truncated(expected: Int, found: Int)
  /// The packet does not belong to the expected stream or is not the expected response.
  case otherPacket
  /// At this offset, the packet contains a code that is missing from the chip's table.
  case unknownCode(UInt8, at: Int)
  /// At this offset, the packet contains a number that is not finite.
  case notFinite(at: Int)

  /// The reason in one line.
  public var description: String {
    switch self {
    case .truncated(let expected, let found):
      "packet of \(found) bytes, expected at least \(expected)"
    case .otherPacket:
      "packet from another register"
    case .unknownCode(let code, let offset):
      "unknown code \(Hexadecimal.text([code])) at byte \(offset)"
    case .notFinite(let offset):
      "non-finite number at byte \(offset)"
    }
  }
}
