internal import Values

/// Why a notification could not be understood.
///
/// A bad packet is data: the reader counts it, keeps it and goes on.
public enum DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Shorter than what its header announces.
  case truncated(expected: Int, found: Int)
  /// Not a packet of the stream or reply that was asked to decode it.
  case otherPacket
  /// A code that the chip's table does not have, and where in the packet it stood.
  case unknownCode(UInt8, at: Int)
  /// A number that is not finite, and where in the packet it stood.
  case notFinite(at: Int)

  /// One line.
  public var description: String {
    switch self {
    case .truncated(let expected, let found):
      "packet of \(found) bytes where at least \(expected) belong"
    case .otherPacket:
      "packet of another register"
    case .unknownCode(let code, let offset):
      "unknown code \(Hexadecimal.text([code])) at byte \(offset)"
    case .notFinite(let offset):
      "no finite number at byte \(offset)"
    }
  }
}
