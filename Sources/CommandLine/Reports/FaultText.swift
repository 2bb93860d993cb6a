/// A fault to simulate, as typed by the user: `KIND@SECONDS` or `KIND@SECONDS:VALUE`. Board faults
/// and faults of the Bluetooth service share this syntax.
struct FaultText {
  let kind: String
  let seconds: Double
  let value: Substring?

  /// The maximum start time and the maximum duration of a fault, in seconds: one year.
  private static let maximumSeconds = 366.0 * 86_400
  private static let maximumCount = 1_000_000_000

  /// Splits a fault request into its parts. Returns `nil` unless the request has the form
  /// `KIND@SECONDS` or `KIND@SECONDS:VALUE`.
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

  /// Parses a decimal number. `Double` would also accept `inf` and hexadecimal numbers.
  static func seconds(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text),
      (0...maximumSeconds).contains(value)
    else { return nil }
    return value
  }

  /// Parses a whole number that is at least `low`.
  static func count(_ text: Substring, from low: Int = 1) -> Int? {
    Int(text).flatMap { (low...maximumCount).contains($0) ? $0 : nil }
  }
}
