internal import Storage
internal import Values

/// Body of `footbridge boards`: lists the known boards, or changes one.
enum BoardsRun {
  static let body: Commands.Body<BoardsConfiguration> = { configuration, console in
    let task = try Task(configuration)
    _ = try configuration.store.existingPath()
    switch task {
    case .list:
      let table = BoardsTable(boards: try configuration.store.directory().boards)
      if configuration.reportsJSON {
        try console.print(table.json.text)
      } else if table.boards.isEmpty {
        console.notice("no boards known", ["remedy": "make one known with 'footbridge pair'"])
      } else {
        try console.print(table.lines.joined(separator: "\n"))
      }
    case .change(let word):
      let board = try configuration.store.directory().board(word)
      let changed = try configuration.store.register().change(
        board.address, name: configuration.name, placement: configuration.placement)
      let table = BoardsTable(boards: changed.map { [$0] } ?? [])
      try console.print(
        configuration.reportsJSON ? table.json.text : table.lines.joined(separator: "\n"))
    }
    return .ok
  }

  /// What the operands and options together ask for.
  private enum Task {
    case list
    case change(String)

    init(_ configuration: BoardsConfiguration) throws(Complaint) {
      let changesSomething = configuration.name != nil || configuration.placement != nil
      switch (configuration.action, configuration.board) {
      case (nil, _) where changesSomething:
        throw Self.usage(
          "'--name' and '--placement' need a board to change",
          remedy: "write 'footbridge boards set BOARD' and what to change")
      case (nil, _): self = .list
      case (.set, nil):
        throw Self.usage("'BOARD' is missing", remedy: Argument("BOARD", .board).advice)
      case (.set, _?) where !changesSomething:
        throw Self.usage(
          "nothing is to be changed", remedy: "give --name NAME, --placement TEXT or both")
      case (.set, let board?): self = .change(board)
      }
    }

    private static func usage(_ message: String, remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) boards")
    }
  }
}
