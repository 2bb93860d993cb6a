/// A table of text in aligned columns, which are separated by two spaces.
public struct TextTable: Sendable {
  public enum Alignment: Sendable {
    /// Aligns a column of words.
    case left
    /// Aligns a column of numbers.
    case right
  }

  public struct Column: Sendable {
    public var title: String
    public var alignment: Alignment
    /// The minimum width in terminal columns, so that the table keeps its layout when its content
    /// changes.
    public var minimumWidth: Int

    /// A table in which no column has a title has no heading.
    public init(_ title: String = "", _ alignment: Alignment = .left, minimumWidth: Int = 0) {
      self.title = title
      self.alignment = alignment
      self.minimumWidth = minimumWidth
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  public init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row with one string for each column. Control characters are removed, because the
  /// strings may come from other devices.
  public mutating func append(_ row: [String]) {
    precondition(row.count == columns.count, "a row needs one cell for each column")
    rows.append(row.map(TerminalText.harmless))
  }

  /// The minimum width, in columns, at which wrapped text is still readable.
  private static let leastRoom = 24

  /// Returns the lines of a table no wider than `width` where possible. Long text in the last
  /// column is wrapped. If that is not enough, the remaining columns follow as another table, which
  /// repeats the first `keys` columns.
  public func lines(within width: Int, keys: Int = 1) -> [String] {
    let widths = columns.indices.map { column in
      ([columns[column].title] + rows.map { $0[column] }).map { TerminalText.width(of: $0) }.max()
        ?? 0
    }
    if let table = wrapped(widths, within: width) { return table.lines }
    let first = widths.prefix(keys).reduce(0) { $0 + $1 + 2 }
    var parts: [[Int]] = [[]]
    var room = width - first
    for column in columns.indices.dropFirst(keys) {
      if room < widths[column], parts.last?.isEmpty == false {
        parts.append([])
        room = width - first
      }
      parts[parts.count - 1].append(column)
      room -= widths[column] + 2
    }
    return Array(
      parts.map { part -> [String] in
        let places = Array(columns.indices.prefix(keys)) + part
        var table = TextTable(places.map { columns[$0] })
        for row in rows { table.append(places.map { row[$0] }) }
        return table.lines
      }.joined(separator: [""]))
  }

  /// Returns the table with long text in its last column wrapped, or `nil` if that is unnecessary
  /// or impossible.
  private func wrapped(_ widths: [Int], within width: Int) -> TextTable? {
    let room = width - widths.dropLast().reduce(0) { $0 + $1 + 2 }
    guard let last = widths.last, last > room, room >= Self.leastRoom,
      columns.last?.alignment == .left
    else { return nil }
    var table = TextTable(columns)
    for row in rows {
      let lines = TerminalText.wrapped(row.last ?? "", to: room)
      guard lines.allSatisfy({ TerminalText.width(of: $0) <= room }) else { return nil }
      table.append(row.dropLast() + [lines.first ?? ""])
      for line in lines.dropFirst() {
        table.append(Array(repeating: "", count: columns.count - 1) + [line])
      }
    }
    return table
  }

  /// The heading, if there is one, and the rows. No line ends with spaces.
  public var lines: [String] {
    let heading = columns.map(\.title)
    let all = heading.allSatisfy(\.isEmpty) ? rows : [heading] + rows
    let widths = columns.indices.map { column in
      all.reduce(columns[column].minimumWidth) {
        max($0, TerminalText.width(of: $1[column]))
      }
    }
    return all.map { row in
      var line = ""
      for (column, text) in row.enumerated() {
        let padding = TerminalText.padding(text, to: widths[column])
        if column > 0 { line += "  " }
        line += columns[column].alignment == .right ? padding + text : text + padding
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
