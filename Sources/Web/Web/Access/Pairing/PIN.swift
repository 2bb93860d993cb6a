/// Six digits that a gateway shows and a person types into the page.
///
/// Printing a value does not show it: only `revealed` does.
public struct PIN: Sendable, CustomStringConvertible, CustomReflectable {
  /// Digits of a PIN.
  public static let length = 6

  /// The digits, leading zeros included, for the one place that shows them.
  public let revealed: String

  /// A PIN from the generator: each of the million is equally likely.
  public init(using generator: inout some RandomNumberGenerator) {
    let digits = String(Int.random(in: 0..<1_000_000, using: &generator))
    revealed = String(repeating: "0", count: Self.length - digits.utf8.count) + digits
  }

  /// Whether a text is this PIN. The duration reveals nothing about the digits.
  public func matches(_ text: String) -> Bool {
    guard text.utf8.count == Self.length else { return false }
    // All digits are compared, even after one differs.
    return zip(text.utf8, revealed.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// `(PIN)` instead of the digits.
  public var description: String { "(PIN)" }
  /// A mirror without members.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
