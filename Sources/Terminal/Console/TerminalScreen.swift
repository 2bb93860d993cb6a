/// Repaints lines in place. Tracks what the terminal shows, and returns the control sequences that
/// update it.
public struct TerminalScreen: Sendable {
  /// The number of painted lines above the cursor, which the next call to `paint` replaces.
  private var painted = 0
  /// Whether the cursor is hidden, as it is while a view is painted.
  private(set) var hidesCursor = false
  /// Whether a line on standard error shows progress.
  var hasProgress = false
  /// The number of alarming lines in the last painted view. The bell rings when the number grows.
  private var alarms = 0

  public init() {}

  /// Replaces the previously painted lines. Each line is cut to the width. Lines that do not fit
  /// the height are replaced by their count, or dropped if only one line fits. The bell rings if
  /// there are more alarming lines than before.
  public mutating func paint(
    _ lines: [ViewLine], on size: TerminalSize, inColour hasColour: Bool = false
  ) -> String {
    let alarmsBefore = alarms
    alarms = lines.count { $0.style == .alarming }
    let lines = Self.fitting(lines, into: Self.room(ofRows: size.rows))
    var text = (alarms > alarmsBefore ? Control.bell : "") + hideCursor() + up()
    for line in lines {
      let words = TerminalText.cut(line.text, to: size.columns)
      text += Self.styled(words, line.style, inColour: hasColour)
      // After a full-width line, the cursor is still on the last column, so clearing the rest of
      // the line would erase that column.
      let isFull = TerminalText.width(of: words) == size.columns
      text += (isFull ? "" : Control.clearToEndOfLine) + "\n"
    }
    painted = lines.count
    return text + Control.clearBelow
  }

  /// Returns the number of lines that fit on a terminal. The last row is left empty, because a line
  /// end there would scroll the rows above.
  static func room(ofRows rows: Int) -> Int { max(1, rows - 1) }

  /// Returns the lines that fit, followed by the number of hidden lines. If only one line fits,
  /// returns the first line.
  static func fitting(_ lines: [ViewLine], into room: Int) -> [ViewLine] {
    guard lines.count > room else { return lines }
    guard room > 1 else { return Array(lines.prefix(1)) }
    let hidden = lines.count - room + 1
    return lines.prefix(room - 1) + [ViewLine("… \(hidden) more lines")]
  }

  /// Returns the text in this style, or unchanged if the terminal does not support colours.
  static func styled(_ words: String, _ style: ViewLine.Style, inColour hasColour: Bool) -> String {
    guard hasColour, let parameters = style.parameters else { return words }
    return Control.style(parameters) + words + Control.plain
  }

  /// Erases the painted lines and leaves the cursor where they began, so that another line can be
  /// written there.
  public mutating func erase() -> String {
    guard painted > 0 else { return "" }
    defer { painted = 0 }
    return up() + Control.clearBelow
  }

  /// Leaves the painted lines on the screen and shows the cursor again.
  public mutating func leave() -> String {
    painted = 0
    guard hidesCursor else { return "" }
    hidesCursor = false
    return Control.showCursor
  }

  private mutating func hideCursor() -> String {
    guard !hidesCursor else { return "" }
    hidesCursor = true
    return Control.hideCursor
  }

  private func up() -> String {
    painted > 0 ? Control.up(painted) : ""
  }

  /// Clears the rest of the line (ECMA-48).
  static let clearToEndOfLine = "\u{1b}[K"
  /// Shows the cursor, with a DEC private mode.
  static let showCursor = "\u{1b}[?25h"

  /// The control sequences that are used to paint.
  private enum Control {
    static let clearToEndOfLine = TerminalScreen.clearToEndOfLine
    static let clearBelow = "\u{1b}[J"
    static let hideCursor = "\u{1b}[?25l"
    static let showCursor = TerminalScreen.showCursor
    static let plain = "\u{1b}[0m"
    static let bell = "\u{7}"
    static func style(_ parameters: String) -> String { "\u{1b}[\(parameters)m" }
    static func up(_ lines: Int) -> String { "\r\u{1b}[\(lines)A" }
  }
}
