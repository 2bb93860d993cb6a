internal import Values

/// Helpers for composing sentences.
enum Words {
  /// Formats a number with at most six decimal places and no trailing zeros: `31.26`, `100`.
  static func plain(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e9 else { return value.description }
    let scaled = Int64((value.magnitude * 1e6).rounded())
    var text = String(scaled / 1_000_000)
    if scaled % 1_000_000 > 0 {
      let decimals = String(scaled % 1_000_000)
      text += "." + String(repeating: "0", count: 6 - decimals.count) + decimals
      while text.hasSuffix("0") { text.removeLast() }
    }
    return (value < 0 && scaled > 0 ? "-" : "") + text
  }

  /// Formats bytes as pairs of digits separated by spaces.
  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    Hexadecimal.text(bytes, separator: " ")
  }

  /// Formats a count with its noun: `1 byte`, `3 bytes`.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)" + (number == 1 ? "" : "s")
  }

  /// Formats a list as `a, b and c`. Returns `nothing` if the list is empty.
  static func list(_ words: [String], otherwise nothing: String = "nothing") -> String {
    guard let last = words.last else { return nothing }
    return words.count == 1
      ? last : words.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Lists the words for the bits that are set. A bit without a word is listed by its number.
  static func bits(_ byte: UInt8, _ words: [String]) -> String {
    list(
      (0..<8).filter { byte >> UInt8($0) & 1 != 0 }
        .map { $0 < words.count ? words[$0] : "bit \($0)" })
  }

  static func onOff(_ isOn: Bool) -> String { isOn ? "on" : "off" }

  /// Quotes text from a board. Every byte that is not printable ASCII is escaped.
  static func quoted(_ bytes: some Sequence<UInt8>) -> String {
    "'"
      + bytes.map { byte in
        (0x20...0x7e).contains(byte)
          ? String(UnicodeScalar(byte)) : "\\x" + hex([byte])
      }.joined() + "'"
  }

  /// Formats a duration in milliseconds, or in seconds if it is 10 s or longer.
  static func duration(milliseconds: Double) -> String {
    milliseconds < 10_000
      ? "\(plain(milliseconds)) ms" : "\(plain(milliseconds / 1000)) s"
  }
}
