internal import Terminal
internal import Values

/// Formats explanations for people: a line with the bytes, and the explanation indented below.
struct InspectText {
  private let width: Int
  private let hasColour: Bool
  /// Assumptions that have already been shown. Each is shown once per link.
  private var told: Set<Assumption> = []

  private struct Assumption: Hashable {
    let link: UInt32?
    let words: String
  }

  private enum Colour: String {
    case command = "36"
    case notification = "32"
    case remark = "33"
    case trouble = "31"
  }

  init(width: Int, hasColour: Bool) {
    self.width = min(max(width, 40), 120)
    self.hasColour = hasColour
  }

  mutating func lines(_ explanation: Explanation) -> [String] {
    [heading(explanation)] + body(explanation) + remarks(explanation)
  }

  private func heading(_ explanation: Explanation) -> String {
    let packet = explanation.packet
    let isCommand = explanation.direction == .toBoard
    let place = "\(packet.place.number)"
    let arrow = (isCommand ? ">" : "<") + (explanation.isDirectionAssumed ? "?" : " ")
    let bytes = Hexadecimal.text(packet.bytes, separator: " ")
    let link = packet.link.map { "  link \($0)" } ?? ""
    let time = packet.time.map { "  \(TerminalText.harmless($0))" } ?? ""
    // Time and link get a separate line if they do not fit next to the bytes.
    let head = TerminalText.padding(place, to: 5) + place + " " + arrow + " " + bytes
    let tail = time + link
    let coloured = colour(head, isCommand ? .command : .notification)
    if tail.isEmpty { return coloured }
    return head.count + tail.count <= width ? coloured + tail : coloured + "\n" + indent + tail
  }

  private func body(_ explanation: Explanation) -> [String] {
    let module = explanation.module ?? "unknown module"
    let register = explanation.register ?? "unknown register"
    let kind = explanation.kind.rawValue.replacing("_", by: " ")
    let sentence = "\(module), \(register) (\(kind)): \(explanation.statement.sentence)"
    let lines = filled(words(sentence), first: indent, continued: indent + "  ")
    return lines.map { explanation.isUnderstood ? $0 : colour($0, .trouble) }
      + explanation.statement.rows.flatMap(row)
  }

  private func row(_ row: Statement.Row) -> [String] {
    let label = row.label.map { $0.hasPrefix(" ") ? "  \($0.dropFirst(2)):" : "\($0):" }
    let values = row.values.map(value)
    return filled(
      (label.map { [$0] } ?? []) + values, first: indent + "  ", continued: indent + "    ",
      separator: "  ")
  }

  private func value(_ value: Statement.Value) -> String {
    let text =
      switch value.content {
      case .number(let number, let decimals): NumberText.fixed(number, decimals: decimals)
      case .integer(let number): String(number)
      case .text(let text): text
      }
    let unit = value.unit.map { $0.hasPrefix("/") ? $0 : " \($0)" } ?? ""
    return TerminalText.harmless(
      "\(value.name) \(text)\(unit)" + (value.raw.map { " (\($0))" } ?? ""))
  }

  private mutating func remarks(_ explanation: Explanation) -> [String] {
    let new = explanation.assumptions.filter {
      told.insert(Assumption(link: explanation.packet.link, words: $0)).inserted
    }
    let remarks = new.map { "assumed: \($0)" } + explanation.statement.remarks
    return remarks.flatMap { remark in
      filled(words(remark), first: indent + "! ", continued: indent + "  ")
        .map { colour($0, .remark) }
    }
  }

  private let indent = String(repeating: " ", count: 8)

  private func words(_ text: String) -> [String] {
    TerminalText.harmless(text).split(separator: " ").map(String.init)
  }

  /// Wraps words at `width` columns.
  private func filled(
    _ words: [String], first: String, continued: String, separator: String = " "
  ) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in words {
      let gap = isEmpty ? "" : separator
      let needed = line.count + gap.count + TerminalText.width(of: word)
      if isEmpty || needed <= width {
        line += gap + word
      } else {
        lines.append(line)
        line = continued + word
      }
      isEmpty = false
    }
    return lines + [line]
  }

  private func colour(_ text: String, _ colour: Colour) -> String {
    hasColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
  }
}
