internal import BoardDriver
internal import Values

extension SensorRequest {
  /// Parses `SIGNAL`, `SIGNAL@RATE` or `SIGNAL@RATE:RANGE`. A comma is accepted instead of the
  /// colon. Returns `nil` for any other text.
  init?(text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), Self.isSignal(parts[0]) else { return nil }
    self.init(signal: String(parts[0]), rate: nil)
    guard parts.count == 2 else { return }
    let numbers = parts[1].split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "," }
    guard (1...2).contains(numbers.count), let rate = Self.number(numbers[0]) else { return nil }
    self.rate = rate
    guard numbers.count == 2 else { return }
    guard let range = Self.number(numbers[1]) else { return nil }
    self.range = range
  }

  /// The request in the form that a user types.
  var text: String {
    signal + (rate.map { "@" + NumberText.plain($0) } ?? "")
      + (range.map { ":" + NumberText.plain($0) } ?? "")
  }

  /// Returns whether the string is a single word. Characters that do not occur in words suggest a
  /// typing error, such as a range without a rate or a missing `@`.
  private static func isSignal(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Parses a decimal number above 0. `Double` would also accept `inf` and hexadecimal numbers.
  private static func number(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text)
    else { return nil }
    return value > 0 ? value : nil
  }
}
