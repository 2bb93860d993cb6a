public import HTTPClient

extension HTTPResponse {
  /// Replaces a secret in the response with asterisks, because the server's message is shown and
  /// stored.
  public mutating func conceal(_ secret: Secret) {
    let secret = Array(secret.revealed.utf8)
    for index in fields.indices {
      if let plain = Self.without(secret, Array(fields[index].value.utf8)) {
        fields[index].value = String(decoding: plain, as: UTF8.self)
      }
    }
    if let plain = Self.without(secret, body) { body = plain }
  }

  /// Returns the text with the secret replaced by asterisks, or `nil` if it does not contain the
  /// secret.
  private static func without(_ secret: [UInt8], _ text: [UInt8]) -> [UInt8]? {
    guard let first = secret.first, text.count >= secret.count else { return nil }
    var plain: [UInt8]?
    var index = 0
    while index <= text.count - secret.count {
      if text[index] == first, text[index..<(index + secret.count)].elementsEqual(secret) {
        var changed = plain ?? text
        for place in index..<(index + secret.count) { changed[place] = UInt8(ascii: "*") }
        plain = changed
        index += secret.count
      } else {
        index += 1
      }
    }
    return plain
  }
}
