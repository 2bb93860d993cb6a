/// A random 128-bit identifier, written like a UUID.
///
/// Sessions and chunks get one when they are made and keep it permanently; it makes sending a chunk
/// twice harmless.
public struct UniqueID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The first eight bytes, most significant first.
  public let high: UInt64
  /// The last eight bytes, most significant first.
  public let low: UInt64

  /// The identifier with these sixteen bytes.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new identifier, random except for the version (4) and variant bits of a UUID.
  public static func random() -> UniqueID {
    UniqueID(
      high: Chance().next() & 0xffff_ffff_ffff_0fff | 0x4000,
      low: Chance().next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }

  /// Reads the form with 32 hexadecimal digits, with or without hyphens.
  public init?(_ text: some StringProtocol) {
    let digits = String(text.filter { $0 != "-" })
    guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit),
      let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// Lower-case, in groups of 8-4-4-4-12.
  public var description: String {
    var digits = hexadecimal(high) + hexadecimal(low)
    for position in [20, 16, 12, 8] {
      digits.insert("-", at: digits.index(digits.startIndex, offsetBy: position))
    }
    return digits
  }

  private func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
