/// Interprets the control sequences of the live view, and fails on any other.
struct TinyTerminal {
  private var grid: [[Character]] = [[]]
  private var row = 0
  private var column = 0
  private(set) var cursorIsVisible = true

  /// The lines on the screen, without trailing blank ones.
  var lines: [String] {
    var lines = grid.map { String($0) }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  mutating func feed(_ text: String) {
    var rest = Substring(text)
    while let character = rest.popFirst() {
      switch character {
      case "\n": (row, column) = (row + 1, 0)
      case "\r": column = 0
      case "\u{7}": break
      case "\u{1b}":
        precondition(rest.popFirst() == "[", "only control sequences are known")
        let parameters = rest.prefix { "0123456789;?".contains($0) }
        rest.removeFirst(parameters.count)
        obey(rest.removeFirst(), String(parameters))
      default: put(character)
      }
      while grid.count <= row { grid.append([]) }
    }
  }

  private mutating func put(_ character: Character) {
    while grid[row].count <= column { grid[row].append(" ") }
    grid[row][column] = character
    column += 1
  }

  private mutating func obey(_ command: Character, _ parameters: String) {
    switch (command, parameters) {
    case ("A", _): row -= Int(parameters) ?? 1
    case ("K", ""): grid[row].removeSubrange(min(column, grid[row].count)...)
    case ("J", ""):
      grid[row].removeSubrange(min(column, grid[row].count)...)
      grid.removeSubrange((row + 1)...)
    case ("m", _): break
    case ("h", "?25"): cursorIsVisible = true
    case ("l", "?25"): cursorIsVisible = false
    default: preconditionFailure("unknown sequence \(parameters)\(command)")
    }
    precondition(row >= 0, "the cursor left the screen")
  }
}
