internal import Recording

/// Encodes a stream's axis names as one readable string for the streams table.
enum AxisNames {
  static let separator: Character = ","

  static func text(_ axes: [String]) -> String {
    axes.joined(separator: String(separator))
  }

  /// Returns the names of `count` axes; `nil` if the string contains a different number of names.
  static func axes(_ text: String, count: Int) -> [String]? {
    guard (1...StreamDescription.maximumAxisCount).contains(count) else { return nil }
    let axes = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    return axes.count == count ? axes : nil
  }
}
