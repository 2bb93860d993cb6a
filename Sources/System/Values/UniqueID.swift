/// A random 128-bit identifier, written like a UUID.
///
/// Each session and chunk gets an identifier when it is created, and keeps it permanently. A
/// receiver can therefore recognise a chunk that is sent twice.
public struct UniqueID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The first eight bytes as a big-endian number.
  public let high: UInt64
  /// The last eight bytes as a big-endian number.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns a new random identifier with the version (4) and variant bits of a UUID.
  public static func random() -> UniqueID {
    UniqueID(
      high: Chance().next() & 0xffff_ffff_ffff_0fff | 0x4000,
      low: Chance().next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }

  /// Parses 32 hexadecimal digits, with or without hyphens.
  public init?(_ text: String) {
    self.init(digits: text.utf8)
  }

  /// Parses 32 hexadecimal digits, with or without hyphens.
  public init?(_ text: Substring) {
    self.init(digits: text.utf8)
  }

  private init?(digits: some Sequence<UInt8>) {
    var (high, low, count) = (UInt64(0), UInt64(0), 0)
    for byte in digits where byte != UInt8(ascii: "-") {
      guard let digit = Hexadecimal.digit(byte) else { return nil }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      count += 1
    }
    guard count == 32 else { return nil }
    self.init(high: high, low: low)
  }

  /// The identifier in lower-case hexadecimal, in groups of 8-4-4-4-12 digits.
  public var description: String { String(decoding: digits, as: UTF8.self) }

  package var digits: [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(36)
    for position in 0..<32 {
      switch position {
      case 8, 12, 16, 20: digits.append(UInt8(ascii: "-"))
      default: break
      }
      let word = position < 16 ? high : low
      digits.append(Hexadecimal.letter(UInt8(word >> UInt64(60 - 4 * (position & 15)) & 15)))
    }
    return digits
  }
}
