internal import Recording

/// The names of a stream's axes as one text, readable in the table.
enum AxisNames {
  /// Separates two names.
  static let separator: Character = ","

  static func text(_ axes: [String]) -> String {
    axes.joined(separator: String(separator))
  }

  /// The names of `count` axes; `nil` if the text contains another number of them.
  static func axes(_ text: String, count: Int) -> [String]? {
    guard (1...StreamDescription.maximumAxisCount).contains(count) else { return nil }
    let axes = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    return axes.count == count ? axes : nil
  }
}
