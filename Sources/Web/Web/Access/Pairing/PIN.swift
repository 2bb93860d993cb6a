/// Six digits that a gateway shows and a user types into the page.
///
/// Printing this value does not show the digits. Only `revealed` does.
public struct PIN: Sendable, CustomStringConvertible, CustomReflectable {
  public static let length = 6

  /// The digits, including leading zeros. Use this only to show the PIN to its user.
  public let revealed: String

  /// Creates a random PIN. Each of the million values is equally likely.
  public init() {
    let digits = String(Int.random(in: 0..<1_000_000))
    revealed = String(repeating: "0", count: Self.length - digits.utf8.count) + digits
  }

  /// Returns whether a string equals this PIN. The duration of the comparison reveals nothing about
  /// the digits.
  public func matches(_ text: String) -> Bool {
    guard text.utf8.count == Self.length else { return false }
    // All digits are compared, even after the first difference.
    return zip(text.utf8, revealed.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Always `(PIN)`, so that the digits stay hidden.
  public var description: String { "(PIN)" }
  /// A mirror without members, to hide the digits.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
