/// Labels in the names of BIDS files, which consist of ASCII letters and digits.
enum BidsLabel {
  /// Returns the first 40 letters and digits of a text, or `otherwise` if there are none.
  static func plain(_ text: String, otherwise: String) -> String {
    let label = String(
      text.unicodeScalars.filter { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      }.prefix(40).map(Character.init))
    return label.isEmpty ? otherwise : label
  }

  /// Returns the label, followed by a number if `used` already contains it.
  static func unique(_ label: String, among used: some Sequence<String>) -> String {
    UniqueName.make(label, among: used, mark: "x")
  }
}
