public import Storage
public import Terminal
public import Values

/// The known boards, as words on a command line name them: by address, by name, or by the beginning
/// of either, whatever its case.
public struct BoardDirectory: Hashable, Sendable {
  /// The boards, by name.
  public let boards: [StoredBoard]
  /// The reason why the names of boards are unknown.
  private let obstacle: Complaint?

  /// A directory of these boards.
  public init(_ boards: [StoredBoard]) {
    self.init(boards, obstacle: nil)
  }

  /// A directory that has only these boards because of an obstacle.
  init(_ boards: [StoredBoard], obstacle: Complaint?) {
    self.boards = boards
    self.obstacle = obstacle
  }

  /// The known facts about the board with an address.
  public subscript(address: BoardAddress) -> StoredBoard? {
    boards.first { $0.address == address }
  }

  /// The address that a word means. A whole address need not be known; an ambiguous or unknown word
  /// is refused.
  public func address(of word: String) throws(Complaint) -> BoardAddress {
    if let address = BoardAddress(word) { return address }
    let wanted = word.lowercased()
    if let board = boards.first(where: { $0.name.lowercased() == wanted }) { return board.address }
    let candidates = boards.filter { board in
      !wanted.isEmpty
        && [board.name, board.address.description].contains { $0.lowercased().hasPrefix(wanted) }
    }
    guard let first = candidates.first else { throw unknown(word) }
    guard candidates.count == 1 else { throw Self.ambiguous(word, candidates) }
    return first.address
  }

  /// Boards that one computer records at once: all are still found and recorded without a loss.
  static let mostAtOnce = 20

  /// The addresses that words mean, each board once.
  public func addresses(of words: [String]) throws(Complaint) -> [BoardAddress] {
    guard words.count <= Self.mostAtOnce else {
      throw Complaint(
        "\(words.count) boards are named, and one computer records \(Self.mostAtOnce) at once",
        remedy: "record the others with another computer", status: .usage)
    }
    var addresses: [BoardAddress] = []
    for word in words {
      let address = try address(of: word)
      guard !addresses.contains(address) else {
        throw Complaint(
          "the board \(name(of: address)) is given twice, the second time as '\(word)'",
          remedy: "name each board once", status: .usage)
      }
      addresses.append(address)
    }
    return addresses
  }

  /// The board that a word means, which has to be known.
  public func board(_ word: String) throws(Complaint) -> StoredBoard {
    let address = try address(of: word)
    guard let board = self[address] else {
      throw Complaint(
        "the board \(address) is not known",
        remedy: "add it with 'footbridge pair \(address)'", status: .boardNotFound)
    }
    return board
  }

  /// Refuses a name that another board has.
  func checkIsFree(_ name: String, for address: BoardAddress) throws(Complaint) {
    let wanted = name.lowercased()
    guard
      let other = boards.first(where: { $0.name.lowercased() == wanted && $0.address != address })
    else { return }
    throw Complaint(
      "cannot call board \(address) '\(name)': board \(other.address) has that name",
      remedy: "choose another name, or rename the other with 'footbridge boards set'")
  }

  /// Names, then addresses, that begin with a word, whatever its case.
  func completions(of word: String) -> [String] {
    let wanted = word.lowercased()
    return (boards.map(\.name) + boards.map(\.address.description))
      .filter { $0.lowercased().hasPrefix(wanted) && !$0.contains("\n") }
  }

  var names: [BoardAddress: String] {
    Dictionary(uniqueKeysWithValues: boards.map { ($0.address, $0.name) })
  }

  /// Placements by address, as far as they were set.
  var placements: [BoardAddress: String] {
    Dictionary(uniqueKeysWithValues: boards.map { ($0.address, $0.placement) })
      .filter { !$0.value.isEmpty }
  }

  /// The name of a board if it is known, else its address.
  public func name(of address: BoardAddress) -> String {
    self[address]?.name ?? address.description
  }

  private static func ambiguous(_ word: String, _ candidates: [StoredBoard]) -> Complaint {
    Complaint(
      "'\(word)' may mean "
        + candidates.map { "\($0.name) (\($0.address))" }.joined(separator: " or "),
      remedy: "write more of the name, or the whole address", status: .usage)
  }

  private func unknown(_ word: String) -> Complaint {
    // A word with colons is not a name.
    if word.contains(":") {
      return Complaint(
        "'\(word)' is not a board address",
        remedy: "an address has six pairs of hexadecimal digits, as in C8:4B:AA:97:50:05",
        status: .usage)
    }
    if let obstacle { return obstacle }
    let names = boards.map(\.name)
    let remedy =
      if let near = Suggestion.nearest(to: word.lowercased(), among: names.map { $0.lowercased() }),
        let name = names.first(where: { $0.lowercased() == near })
      {
        "did you mean '\(name)'?"
      } else if names.isEmpty {
        "no board is known yet: find one with 'footbridge scan', then 'footbridge pair ADDRESS'"
      } else {
        "known boards are " + names.joined(separator: ", ")
      }
    return Complaint("no board is called '\(word)'", remedy: remedy, status: .boardNotFound)
  }
}
