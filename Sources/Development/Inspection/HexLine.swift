/// Parses one line of hexadecimal text, such as `12.5 > 03 04 01  # comment`.
///
/// `>` marks a command from host to board, and `<` a notification from board to host. Text before
/// the arrow is the time. Without an arrow, the time ends with the last word that contains a full
/// stop or a closing bracket, because hexadecimal text never contains them.
struct HexLine {
  let time: String?
  let direction: Direction?
  let bytes: [UInt8]

  /// The reason why a line is invalid.
  struct Fault: Error {
    let reason: String
  }

  /// Parses a line; `nil` if it is blank or only a comment.
  init?(_ line: Substring) throws(Fault) {
    let text = trimmed(line.prefix { $0 != "#" })
    guard !text.isEmpty else { return nil }
    var digits = text
    var time: Substring = ""
    if let arrow = text.firstIndex(where: { $0 == ">" || $0 == "<" }) {
      direction = text[arrow] == ">" ? .toBoard : .fromBoard
      time = text[..<arrow]
      digits = text[text.index(after: arrow)...]
    } else {
      direction = nil
      if let stop = text.lastIndex(where: { $0 == "." || $0 == "]" }) {
        let end = text[stop...].firstIndex(where: \.isWhitespace) ?? text.endIndex
        time = text[..<end]
        digits = text[end...]
      }
    }
    let shown = trimmed(time).drop { $0 == "[" }.filter { $0 != "]" }
    self.time = shown.isEmpty ? nil : String(shown)
    bytes = try Self.bytes(digits)
    if bytes.isEmpty { throw Fault(reason: "no bytes after the time or the arrow") }
  }

  /// Parses bytes from pairs of hexadecimal digits, with or without separators and `0x`.
  static func bytes(_ text: Substring) throws(Fault) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in text.split(whereSeparator: { $0.isWhitespace || ",;:-_".contains($0) }) {
      let isMarked = word.hasPrefix("0x") || word.hasPrefix("0X")
      var digits = Array(isMarked ? word.dropFirst(2) : word)
      if isMarked, digits.count == 1 { digits.insert("0", at: 0) }
      guard !digits.isEmpty, digits.count.isMultiple(of: 2) else {
        throw Fault(reason: "'\(shortened(word))' has an odd number of digits")
      }
      for position in stride(from: 0, to: digits.count, by: 2) {
        guard digits[position].isASCII, digits[position + 1].isASCII,
          let upper = digits[position].hexDigitValue,
          let lower = digits[position + 1].hexDigitValue
        else { throw Fault(reason: "'\(shortened(word))' is not a hexadecimal number") }
        bytes.append(UInt8(upper << 4 | lower))
      }
    }
    return bytes
  }

  private static func shortened(_ word: Substring) -> String {
    word.count > 24 ? word.prefix(24) + "…" : String(word)
  }
}

func trimmed(_ text: Substring) -> Substring {
  var rest = text.drop(while: \.isWhitespace)
  while rest.last?.isWhitespace == true { rest.removeLast() }
  return rest
}
