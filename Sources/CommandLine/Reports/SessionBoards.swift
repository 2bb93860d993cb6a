internal import Recording
internal import Terminal
internal import Values

/// The boards of a session, as words on a command line name them: by address, by the name that they
/// have in the session, or by the beginning of either, whatever its case.
struct SessionBoards {
  private let boards: [BoardIdentity]

  init(_ boards: [BoardIdentity]) {
    self.boards = boards
  }

  /// The board that a word means.
  func board(_ word: String) throws(Complaint) -> BoardIdentity {
    let wanted = word.lowercased()
    func names(_ board: BoardIdentity) -> [String] {
      [board.address.description, board.name].map { $0.lowercased() }
    }
    let exact = boards.filter { names($0).contains(wanted) }
    let candidates =
      exact.isEmpty ? boards.filter { names($0).contains { $0.hasPrefix(wanted) } } : exact
    guard let first = candidates.first else {
      throw Complaint(
        "no board of the session is called '\(word)'",
        remedy: boards.isEmpty
          ? "the session has no boards"
          : "its boards are " + boards.map(Self.text).joined(separator: ", "),
        status: .boardNotFound)
    }
    guard candidates.count == 1 else {
      throw Complaint(
        "'\(word)' may mean " + candidates.map(Self.text).joined(separator: " or "),
        remedy: "write more of the name, or the whole address", status: .usage)
    }
    return first
  }

  /// The board's name in tables, with the end of its address where others have the same name.
  var names: [BoardAddress: String] {
    let counts = Dictionary(grouping: boards, by: \.name).mapValues(\.count)
    return Dictionary(
      boards.map { board in
        let name = TerminalText.harmless(board.name)
        let isAlone = counts[board.name] == 1
        return (board.address, isAlone ? name : "\(name) \(board.address.description.suffix(5))")
      }, uniquingKeysWith: { first, _ in first })
  }

  /// A board as messages name it.
  static func text(_ board: BoardIdentity) -> String {
    "\(TerminalText.harmless(board.name)) (\(board.address))"
  }
}
