/// The origin of a page, as browsers define it: scheme, host and port.
public struct WebOrigin: Hashable, Sendable {
  /// The host, in a form that can be compared.
  enum Computer: Hashable, Sendable {
    case address(NumericAddress)
    /// A name in lower case, without a trailing dot.
    case name(String)
  }

  /// Whether the scheme is `https` instead of `http`.
  public let isEncrypted: Bool
  let computer: Computer
  /// The port, or the default port if the string does not contain one.
  public let port: UInt16

  /// Parses the `Host` field: a name or an address with an optional port (RFC 9110, section 7.2).
  init?(host text: String, isEncrypted: Bool) {
    guard text.utf8.count <= 300, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    var rest = text[...]
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]"),
        let address = NumericAddress(rest[..<end].dropFirst()),
        rest[..<end].contains(":")
      else { return nil }
      computer = .address(address)
      rest = rest[end...].dropFirst()
    } else {
      let name = rest.prefix { $0 != ":" }
      guard let computer = Self.computer(name) else { return nil }
      self.computer = computer
      rest = rest[name.endIndex...]
    }
    self.isEncrypted = isEncrypted
    guard !rest.isEmpty else {
      port = isEncrypted ? 443 : 80
      return
    }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits)
    else { return nil }
    self.port = port
  }

  /// Parses the `Origin` field, such as `http://trail-1.local:8080`. `null`, which browsers send
  /// for pages without an origin, is rejected.
  public init?(_ text: String) {
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else {
      return nil
    }
    self.init(
      host: String(text.dropFirst(scheme.count)), isEncrypted: scheme == schemes[1])
  }

  private static func computer(_ text: Substring) -> Computer? {
    // A trailing dot marks a name as fully qualified. The dot makes no difference here.
    let name = (text.hasSuffix(".") ? text.dropLast() : text).lowercased()
    if let address = NumericAddress(name) { return name.contains(":") ? nil : .address(address) }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.utf8.count <= 253, labels.allSatisfy({ (1...63).contains($0.utf8.count) }),
      name.utf8.allSatisfy(isOfNames)
    else { return nil }
    return .name(name)
  }

  private static func isOfNames(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
