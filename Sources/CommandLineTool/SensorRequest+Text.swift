internal import Boards

extension SensorRequest {
  /// Reads `SIGNAL@RATE` or `SIGNAL@RATE:RANGE`; `nil` if it is neither.
  init?(text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    let numbers = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(numbers.count), let rate = Self.number(numbers[0]) else { return nil }
    self.init(signal: String(parts[0]), rate: rate)
    guard numbers.count == 2 else { return }
    guard let range = Self.number(numbers[1]) else { return nil }
    self.range = range
  }

  /// Plain decimals above 0; `Double` would also read `inf` and hexadecimal.
  private static func number(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text)
    else { return nil }
    return value > 0 ? value : nil
  }
}
