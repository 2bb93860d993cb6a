internal import Storage
internal import Values

/// The known boards as a table or as JSON.
struct BoardsTable {
  let boards: [StoredBoard]
  var isInUTC = false

  /// The table, no wider than `width`.
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
          .init("address", .string(board.address.description)),
          .init("name", .string(board.name)), .init("placement", .string(board.placement)),
          .init("model", .string(board.model)), .init("firmware", .string(board.firmware)),
          .init("added", .string(board.added.iso8601(decimals: 0))),
          .init(
            "lastConnected", board.lastSeen.map { .string($0.iso8601(decimals: 0)) } ?? .null),
        ])
      })
  }

  private static func text(_ text: String) -> String {
    text.isEmpty ? "–" : TerminalText.harmless(text)
  }
}
