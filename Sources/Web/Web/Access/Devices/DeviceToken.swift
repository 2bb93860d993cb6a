internal import Values

/// One paired browser's secret: 256 random bits, stored only by the browser.
public struct DeviceToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// Length of a token in bytes.
  static let size = 32
  /// Length of a token in a cookie, in characters.
  static let letters = 43

  private let bytes: [UInt8]

  /// Creates a token from the system's random number generator.
  public init() {
    bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max) }
  }

  /// Parses a token from a cookie. Returns `nil` for any other text.
  public init?(_ text: String) {
    // The decoded bytes are encoded again and compared. Two bits of the last character are unused,
    // so several strings decode to the same bytes.
    guard text.utf8.count == Self.letters, let bytes = Base64.decode(text),
      bytes.count == Self.size, Base64.encodeForURL(bytes) == text
    else { return nil }
    self.bytes = bytes
  }

  /// The token for the cookie that pairs the browser: 43 letters, digits, `-` and `_`.
  public var revealed: String { Base64.encodeForURL(bytes) }

  /// The token's hash, which the gateway stores.
  public var mark: DeviceMark { DeviceMark(hash: BLAKE2b.hash(of: bytes.span)) }

  /// Always `(token)`, so that the bits stay hidden.
  public var description: String { "(token)" }
  /// A mirror without members, to hide the bits.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The hash of a browser's token, which the gateway uses to recognise the browser.
///
/// Nobody can compute a token of 256 random bits from its mark. The mark is therefore not secret,
/// and comparing marks need not take constant time.
public struct DeviceMark: Hashable, Sendable {
  let hash: [UInt8]

  init(hash: [UInt8]) {
    self.hash = hash
  }

  /// Parses 64 hexadecimal digits. Returns `nil` for any other text.
  init?(_ text: String) {
    guard let hash = Hexadecimal.bytes(text), hash.count == DeviceToken.size else { return nil }
    self.hash = hash
  }

  /// The mark as 64 hexadecimal digits.
  var text: String { Hexadecimal.text(hash) }
}
