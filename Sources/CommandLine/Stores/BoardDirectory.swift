public import Storage
public import Terminal
public import Values

/// Finds the known board that the user named. A name can be the board's address, the user's name
/// for the board, or the beginning of either, ignoring case.
public struct BoardDirectory: Hashable, Sendable {
  /// The boards, sorted by name.
  public let boards: [StoredBoard]
  /// The reason why the boards' names could not be read.
  private let obstacle: Complaint?

  public init(_ boards: [StoredBoard]) {
    self.init(boards, obstacle: nil)
  }

  /// Creates a directory that is incomplete because of `obstacle`.
  init(_ boards: [StoredBoard], obstacle: Complaint?) {
    self.boards = boards
    self.obstacle = obstacle
  }

  public subscript(address: BoardAddress) -> StoredBoard? {
    boards.first { $0.address == address }
  }

  /// Returns the only address that `word` matches. A complete address is accepted even if the board
  /// is unknown. Throws if the word is ambiguous or matches no board.
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

  /// The maximum number of boards that one computer can find and record at once without losing
  /// samples.
  static let mostAtOnce = 20

  /// Returns the addresses that the words match. Throws if two words match the same board.
  public func addresses(of words: [String]) throws(Complaint) -> [BoardAddress] {
    guard words.count <= Self.mostAtOnce else {
      throw Complaint(
        "\(words.count) boards are given, but one computer records at most \(Self.mostAtOnce)",
        remedy: "use another computer for the other boards", status: .usage)
    }
    var addresses: [BoardAddress] = []
    for word in words {
      let address = try address(of: word)
      guard !addresses.contains(address) else {
        throw Complaint(
          "the board \(name(of: address)) is given twice, the second time as '\(word)'",
          remedy: "give each board once", status: .usage)
      }
      addresses.append(address)
    }
    return addresses
  }

  /// Returns the only known board that `word` matches.
  public func board(_ word: String) throws(Complaint) -> StoredBoard {
    let address = try address(of: word)
    guard let board = self[address] else {
      throw Complaint(
        "the board \(address) is not known",
        remedy: "add it with 'footbridge pair \(address)'", status: .boardNotFound)
    }
    return board
  }

  /// Throws if another board already has this name.
  func checkIsFree(_ name: String, for address: BoardAddress) throws(Complaint) {
    let wanted = name.lowercased()
    guard
      let other = boards.first(where: { $0.name.lowercased() == wanted && $0.address != address })
    else { return }
    throw Complaint(
      "cannot call board \(address) '\(name)': board \(other.address) has that name",
      remedy: "choose another name, or rename the other board with 'footbridge boards set'")
  }

  /// Returns the names that begin with a word, then the addresses that begin with it, ignoring
  /// case.
  func completions(of word: String) -> [String] {
    let wanted = word.lowercased()
    return (boards.map(\.name) + boards.map(\.address.description))
      .filter { $0.lowercased().hasPrefix(wanted) && !$0.contains("\n") }
  }

  var names: [BoardAddress: String] {
    Dictionary(uniqueKeysWithValues: boards.map { ($0.address, $0.name) })
  }

  public func name(of address: BoardAddress) -> String {
    self[address]?.name ?? address.description
  }

  private static func ambiguous(_ word: String, _ candidates: [StoredBoard]) -> Complaint {
    Complaint(
      "'\(word)' could mean "
        + candidates.map { "\($0.name) (\($0.address))" }.joined(separator: " or "),
      remedy: "enter more of the name, or the whole address", status: .usage)
  }

  private func unknown(_ word: String) -> Complaint {
    // A word with colons cannot be a name.
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
        "no boards are known yet: find one with 'footbridge scan', then 'footbridge pair ADDRESS'"
      } else {
        "known boards are " + names.joined(separator: ", ")
      }
    return Complaint("no board matches '\(word)'", remedy: remedy, status: .boardNotFound)
  }
}
