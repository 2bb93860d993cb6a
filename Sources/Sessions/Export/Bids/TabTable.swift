internal import Values

/// A table whose columns are separated by tabs, as BIDS prescribes. An unknown value is `n/a`.
struct TabTable {
  /// The text of a value that is unknown or does not apply.
  static let unknown = "n/a"

  private(set) var header: [String]
  private(set) var rows: [[String]] = []

  init(header: [String]) {
    self.header = header
  }

  /// Reads a table. Rows that are shorter than the header are extended with unknown values.
  init(parsing text: String) {
    var lines = text.split(omittingEmptySubsequences: true) { $0.isNewline }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    header = lines.isEmpty ? [] : lines.removeFirst()
    for line in lines { append(line) }
  }

  var text: String { ([header] + rows).map(Self.line).joined() }

  static func line(_ fields: [String]) -> String { fields.joined(separator: "\t") + "\n" }

  /// Returns text as a value of a table: on one line, without tabs. Readers of tables interpret a
  /// leading quotation mark as the start of a quoted value, so such a value is quoted.
  static func field(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return unknown }
    let parts = text.split { $0.isNewline || $0 == "\t" }
    let field = PlainText.cleaned(parts.isEmpty ? unknown : parts.joined(separator: " "))
    return field.hasPrefix("\"") ? "\"\(field.replacing("\"", by: "\"\""))\"" : field
  }

  mutating func append(_ row: [String]) {
    let missing = max(0, header.count - row.count)
    rows.append(row + [String](repeating: Self.unknown, count: missing))
  }

  func column(_ name: String) -> [String] {
    guard let place = header.firstIndex(of: name) else { return [] }
    return rows.map { $0[place] }
  }

  /// Sets the values of the row whose first field is `key`, and leaves its other values unchanged.
  /// Columns and rows that do not exist are added at the end.
  mutating func set(_ values: [(column: String, value: String)], ofRow key: String) {
    for (column, _) in values where !header.contains(column) {
      header.append(column)
      for index in rows.indices { rows[index].append(Self.unknown) }
    }
    if !rows.contains(where: { $0.first == key }) { append([key]) }
    guard let row = rows.firstIndex(where: { $0.first == key }) else { return }
    for (column, value) in values {
      if let place = header.firstIndex(of: column) { rows[row][place] = value }
    }
  }

  mutating func removeRow(_ key: String) {
    rows.removeAll { $0.first == key }
  }
}
