/// The 48-bit Bluetooth address of a board, as in `C8:4B:AA:97:50:05`.
public struct BoardAddress: Hashable, Comparable, Sendable, BitwiseCopyable,
  CustomStringConvertible
{
  /// The address as a number; the first written pair is the most significant byte.
  public let value: UInt64

  /// The address with this number, of which the low 48 bits count.
  public init(value: UInt64) {
    self.value = value & 0xffff_ffff_ffff
  }

  /// Reads six pairs of hexadecimal digits with colons between them, in either case.
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

  /// Upper-case pairs with colons, as BlueZ writes them.
  public var description: String {
    (0..<6).reversed().map { position in
      let byte = value >> UInt64(position * 8) & 0xff
      return (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined(separator: ":")
  }

  /// Orders by number.
  public static func < (left: BoardAddress, right: BoardAddress) -> Bool {
    left.value < right.value
  }
}
