internal import Storage
internal import Terminal
internal import Values

/// Formats the known boards as a table or as JSON.
struct BoardsTable {
  let boards: [StoredBoard]
  var isInUTC = false

  /// Returns the table of boards, at most `width` columns wide.
  func lines(within width: Int = .max) -> [String] {
    var table = TextTable([
      .init("name"), .init("address"), .init("placement"), .init("model"), .init("firmware"),
      .init("last connected"),
    ])
    for board in boards {
      table.append([
        TerminalText.harmless(board.name), board.address.description,
        Self.text(board.placement), Self.text(board.model), Self.text(board.firmware),
        SessionText.date(board.lastSeen, inUTC: isInUTC) ?? "never",
      ])
    }
    return table.lines(within: width)
  }

  var json: JSONValue {
    .array(
      boards.map { board in
        .object([
          .init("address", board.address), .init("name", board.name),
          .init("placement", board.placement), .init("model", board.model),
          .init("firmware", board.firmware), .init("added", board.added.iso8601(decimals: 0)),
          .init("lastConnected", board.lastSeen?.iso8601(decimals: 0)),
        ])
      })
  }

  private static func text(_ text: String) -> String {
    text.isEmpty ? "–" : TerminalText.harmless(text)
  }
}
