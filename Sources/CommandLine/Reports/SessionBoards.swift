internal import Recording
internal import Terminal
internal import Values

/// Finds the board that the user named, among the boards in a session. A name can be the board's
/// address, its name in the session, or the beginning of either, ignoring case.
struct SessionBoards {
  private let boards: [BoardIdentity]

  init(_ boards: [BoardIdentity]) {
    self.boards = boards
  }

  /// Returns the only board that a typed name matches.
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
        "no board in the session matches '\(word)'",
        remedy: boards.isEmpty
          ? "the session has no boards"
          : "its boards are " + boards.map(Self.text).joined(separator: ", "),
        status: .boardNotFound)
    }
    guard candidates.count == 1 else {
      throw Complaint(
        "'\(word)' could mean " + candidates.map(Self.text).joined(separator: " or "),
        remedy: "enter more of the name, or the whole address", status: .usage)
    }
    return first
  }

  /// The boards' names, as shown in tables. If several boards have the same name, the end of the
  /// address is added.
  var names: [BoardAddress: String] {
    let counts = Dictionary(grouping: boards, by: \.name).mapValues(\.count)
    return Dictionary(
      boards.map { board in
        let name = TerminalText.harmless(board.name)
        let isAlone = counts[board.name] == 1
        return (board.address, isAlone ? name : "\(name) \(board.address.description.suffix(5))")
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the string that identifies a board in messages.
  static func text(_ board: BoardIdentity) -> String {
    "\(TerminalText.harmless(board.name)) (\(board.address))"
  }
}
