internal import Values

/// The secret of one paired browser: 256 random bits, stored only by the browser.
public struct DeviceToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// Bytes of a token.
  static let size = 32
  /// Characters of a token in a cookie.
  static let letters = 43

  private let bytes: [UInt8]

  public init(using generator: inout some RandomNumberGenerator) {
    bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Reads a token from its form in a cookie; `nil` for any other text.
  public init?(_ text: String) {
    // Encoded again and compared, since several texts decode to the same bytes: two bits of the
    // last character are unused.
    guard text.utf8.count == Self.letters, let bytes = Base64.decode(text),
      bytes.count == Self.size, Base64.encodeForURL(bytes) == text
    else { return nil }
    self.bytes = bytes
  }

  /// The form in a cookie, for the answer that pairs the browser: 43 letters, digits, `-` and `_`.
  public var revealed: String { Base64.encodeForURL(bytes) }

  /// The hash that the gateway stores.
  public var mark: DeviceMark { DeviceMark(hash: BLAKE2b.hash(of: bytes.span)) }

  /// `(token)` instead of the bits.
  public var description: String { "(token)" }
  /// A mirror without members.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The hash of a browser's token, by which the gateway recognises the browser.
///
/// A token of 256 random bits cannot be found from it, so it is not secret, and marks may be
/// compared in any way.
public struct DeviceMark: Hashable, Sendable {
  /// The 32 bytes.
  let hash: [UInt8]

  init(hash: [UInt8]) {
    self.hash = hash
  }

  /// Reads 64 hexadecimal digits.
  init?(_ text: String) {
    guard let hash = Hexadecimal.bytes(text), hash.count == DeviceToken.size else { return nil }
    self.hash = hash
  }

  /// 64 hexadecimal digits.
  var text: String { Hexadecimal.text(hash) }
}
