/// The 48-bit Bluetooth address of a board, such as `C8:4B:AA:97:50:05`.
public struct BoardAddress: Hashable, Comparable, Sendable, BitwiseCopyable,
  CustomStringConvertible
{
  /// The address as a number. The first pair of digits is the most significant byte.
  public let value: UInt64

  /// Uses only the low 48 bits.
  public init(value: UInt64) {
    self.value = value & 0xffff_ffff_ffff
  }

  /// Parses six pairs of hexadecimal digits, in upper or lower case, separated by colons.
  public init?(_ text: some StringProtocol) {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == 6 else { return nil }
    var value: UInt64 = 0
    for pair in pairs {
      guard pair.utf8.count == 2, pair.allSatisfy(\.isHexDigit), let byte = UInt64(pair, radix: 16)
      else { return nil }
      value = value << 8 | byte
    }
    self.value = value
  }

  /// The address in upper case with colons, as BlueZ writes it.
  public var description: String {
    (0..<6).reversed().map { position in
      let byte = value >> UInt64(position * 8) & 0xff
      return (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined(separator: ":")
  }

  public static func < (left: BoardAddress, right: BoardAddress) -> Bool {
    left.value < right.value
  }
}
