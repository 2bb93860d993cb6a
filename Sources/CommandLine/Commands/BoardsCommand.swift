internal import Storage
internal import Terminal
internal import Values

/// `footbridge boards`: lists the known boards, or changes one.
struct BoardsCommand: StoreVerb {
  /// Actions other than listing the boards.
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Change a board's name or placement.
    case set
  }

  /// The action to perform; `nil` to list the boards.
  var action: Action?
  /// The board to change, as typed by the user.
  var board: String?
  var name: String?
  var placement: String?
  var reportsJSON = false
  var isInUTC = false
  var store: StoreLocation

  static let options: [Option<BoardsCommand>] = [
    .option("name", .boardName, help: "with set: the new name of the board", sets: \.name),
    .option(
      "placement", .text("TEXT"), help: "with set: where the board is worn; '' clears it",
      sets: \.placement),
    .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
    .utc(sets: \.isInUTC),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<BoardsCommand>(
    name: "boards", summary: "list the known boards, rename one or change its placement",
    discussion: """
      Lists the boards that were added with 'footbridge pair', with their names, where they are \
      worn, and when they were last connected (local time).

      'footbridge boards set BOARD' changes --name, --placement or both.

      Example: footbridge boards set left --name 'left wrist'
      """,
    initial: { BoardsCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .optional(.word("set"), sets: \.action),
      .optional(.unchecked("BOARD", .own(.board)), sets: \.board),
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    let task = try Task(self)
    _ = try store.existingPath()
    switch task {
    case .list:
      let table = BoardsTable(boards: try store.directory().boards, isInUTC: isInUTC)
      if reportsJSON {
        try console.print(table.json.text)
      } else if table.boards.isEmpty {
        console.notice("no known boards", ["remedy": "add one with 'footbridge pair BOARD'"])
      } else {
        try console.print(table.lines(within: console.tableWidth).joined(separator: "\n"))
      }
    case .change(let word):
      let board = try store.directory().board(word)
      let changed = try store.register().change(
        board.address, name: name, placement: placement)
      let table = BoardsTable(boards: changed.map { [$0] } ?? [], isInUTC: isInUTC)
      try console.print(
        reportsJSON
          ? table.json.text
          : table.lines(within: console.tableWidth).joined(separator: "\n"))
    }
    return .ok
  }

  /// The task selected by the combination of operands and options.
  private enum Task {
    case list
    case change(String)

    init(_ configuration: BoardsCommand) throws(Complaint) {
      let changesSomething = configuration.name != nil || configuration.placement != nil
      switch (configuration.action, configuration.board) {
      case (nil, _) where changesSomething:
        throw Self.usage(
          "'--name' and '--placement' need a board to change",
          remedy: "use them with 'footbridge boards set BOARD'")
      case (nil, _): self = .list
      case (.set, nil):
        throw Self.usage("'BOARD' is missing", remedy: Argument("BOARD", .own(.board)).advice)
      case (.set, _?) where !changesSomething:
        throw Self.usage(
          "nothing to change", remedy: "give --name NAME, --placement TEXT or both")
      case (.set, let board?): self = .change(board)
      }
    }

    private static func usage(_ message: String, remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) boards")
    }
  }
}
