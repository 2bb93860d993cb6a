/// The form of both kinds of faults: `KIND@SECONDS` or `KIND@SECONDS:VALUE`.
struct FaultText {
  let kind: String
  let seconds: Double
  let value: Substring?

  /// Longest span and latest time: a year.
  private static let maximumSeconds = 366.0 * 86_400
  private static let maximumCount = 1_000_000_000

  /// `nil` if the text is neither.
  init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let numbers = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(numbers.count), let seconds = Self.seconds(numbers[0]) else {
      return nil
    }
    kind = String(parts[0])
    self.seconds = seconds
    value = numbers.dropFirst().first
  }

  /// Plain decimals; `Double` would also read `inf` and hexadecimal.
  static func seconds(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text),
      (0...maximumSeconds).contains(value)
    else { return nil }
    return value
  }

  /// A whole number from `low`.
  static func count(_ text: Substring, from low: Int = 1) -> Int? {
    Int(text).flatMap { (low...maximumCount).contains($0) ? $0 : nil }
  }
}
