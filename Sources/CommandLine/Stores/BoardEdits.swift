internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// Edits that the user requested for a session's boards, checked against the current names.
struct BoardEdits {
  private(set) var edits: [SessionEdit] = []
  /// The boards' names after the edits.
  private var names: [BoardAddress: String]
  private let boards: SessionBoards
  private var swapped: Set<BoardAddress> = []

  /// Applies the edits given on the command line to a session's boards.
  init(_ configuration: SessionCommand, _ boards: [BoardIdentity]) throws(Complaint) {
    self.boards = SessionBoards(boards)
    names = Dictionary(uniqueKeysWithValues: boards.map { ($0.address, $0.name) })
    let known = boards.flatMap { [$0.name, $0.address.description] }
    for pair in configuration.swaps { try swap(pair.among(known)) }
    var placed: Set<BoardAddress> = []
    for request in configuration.placements.map({ $0.among(known) }) {
      let board = try board(request.name, "placement", once: &placed)
      edits.append(.placement(of: board, request.text))
    }
    var named: Set<BoardAddress> = []
    for request in configuration.names.map({ $0.among(known) }) {
      let board = try board(request.name, "name", once: &named)
      guard request.text.isEmpty || BoardName.isFit(request.text) else {
        throw usage("'\(request.text)' cannot be a name", "a name has \(BoardName.rule)")
      }
      // A board without a name is shown by its address, as it was during the recording.
      let name = request.text.isEmpty ? board.description : request.text
      edits.append(.name(of: board, name))
      names[board] = name
    }
    for board in named.sorted() { try checkIsFree(names[board] ?? "", for: board) }
  }

  private mutating func swap(_ pair: BoardPair) throws(Complaint) {
    let one = try boards.board(pair.one)
    let other = try boards.board(pair.other)
    guard one.address != other.address else {
      throw usage(
        "'\(pair.one)' and '\(pair.other)' are the same board", "name two different boards to swap")
    }
    for board in [one, other] where !swapped.insert(board.address).inserted {
      throw usage(
        "\(SessionBoards.text(board)) is given in two '--swap' options", "swap each board once")
    }
    edits.append(.swap(one.address, other.address))
    (names[one.address], names[other.address]) = (names[other.address], names[one.address])
  }

  /// Returns the board that `word` matches. Throws if the board is also swapped, or if the option
  /// is given twice for the board.
  private func board(
    _ word: String, _ option: String, once known: inout Set<BoardAddress>
  ) throws(Complaint) -> BoardAddress {
    let board = try boards.board(word)
    guard known.insert(board.address).inserted else {
      throw usage("'--\(option)' is given twice for \(SessionBoards.text(board))", "give it once")
    }
    // If the board were also swapped, it would be unclear whether the user means the name before or
    // after the swap.
    guard !swapped.contains(board.address) else {
      throw usage(
        "\(SessionBoards.text(board)) is swapped and also has a '--\(option)'",
        "edit in two steps: first swap, then give the rest")
    }
    return board.address
  }

  /// Throws if another board in the session would have the same name.
  private func checkIsFree(_ name: String, for board: BoardAddress) throws(Complaint) {
    let wanted = name.lowercased()
    let others = names.filter { $0.key != board && $0.value.lowercased() == wanted }.keys.sorted()
    guard let other = others.first else { return }
    throw Complaint(
      "cannot call board \(board) '\(name)': board \(other) of the session has that name",
      remedy: "choose another name, or exchange the two with '--swap \(board),\(other)'")
  }

  private func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) session")
  }
}
