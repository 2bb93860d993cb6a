internal import Values

/// An IPv4 or IPv6 address. An IPv4 address equals its IPv4-mapped IPv6 form.
public struct NumericAddress: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Parses `192.168.4.1`, or `fe80::1` without brackets (RFC 4291, section 2.2). A zone after `%`
  /// is ignored, because it identifies an interface and not a computer.
  ///
  /// IPv4 addresses with fewer parts or with leading zeros are rejected. Browsers rewrite such
  /// addresses before sending them.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 80, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    if let value = Self.version4(text) {
      (high, low) = (0, 0xffff_0000_0000 | UInt64(value))
      return
    }
    let address = text.prefix { $0 != "%" }
    guard let groups = Self.version6(String(address)) else { return nil }
    high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
    low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
  }

  /// Whether only programs on the same computer can reach this address.
  public var isLoopback: Bool {
    high == 0 && (low == 1 || low >> 24 == 0xffff_7f)
  }

  private static func version4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var value: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        part == "0" || !part.hasPrefix("0"), let byte = UInt8(part)
      else { return nil }
      value = value << 8 | UInt32(byte)
    }
    return value
  }

  private static func version6(_ text: String) -> [UInt16]? {
    guard let gap = text.firstRange(ofText: "::") else {
      return groups(text[...], mayEndIn4: true).flatMap { $0.count == 8 ? $0 : nil }
    }
    guard let before = groups(text[..<gap.lowerBound], mayEndIn4: false),
      let after = groups(text[gap.upperBound...], mayEndIn4: true),
      before.count + after.count < 8
    else { return nil }
    return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
  }

  /// Returns the groups of a section without `::`; `nil` if one is invalid.
  private static func groups(_ text: Substring, mayEndIn4: Bool) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (place, part) in parts.enumerated() {
      if mayEndIn4, place == parts.count - 1, let value = version4(part) {
        groups += [UInt16(value >> 16), UInt16(truncatingIfNeeded: value)]
        continue
      }
      guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
        let group = UInt16(part, radix: 16)
      else { return nil }
      groups.append(group)
    }
    return groups
  }
}
