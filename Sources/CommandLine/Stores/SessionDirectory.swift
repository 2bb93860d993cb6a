public import Recording
internal import Values

/// The sessions of a store, as words on a command line name them: by id, by the beginning of it, or
/// as `last`.
public struct SessionDirectory: Hashable, Sendable {
  /// The sessions in the order in which they were begun.
  public let sessions: [Session]
  /// Their ids by size, so that those which begin alike stand side by side.
  private let ids: [UniqueID]
  /// The store they are in, for messages.
  private let store: String

  /// The word for the session that was begun last.
  public static let last = "last"

  /// A directory of these sessions of a store.
  public init(_ sessions: [Session], in store: String) {
    self.sessions = sessions
    ids = sessions.map(\.id).sorted { $0.isBefore($1) }
    self.store = store
  }

  /// The session a word means; a word that may mean several is refused, and one that means none.
  public func session(_ word: String) throws(Complaint) -> Session {
    guard let newest = sessions.last else {
      throw Complaint(
        "there is no session in \(store)", remedy: "record one with 'footbridge record'")
    }
    let wanted = word.lowercased().filter { $0 != "-" }
    if wanted == Self.last { return newest }
    let beginning = IDBeginning(wanted)
    let candidates = sessions.filter { session in beginning?.isOf(session.id) ?? false }
    guard let first = candidates.first else {
      throw Complaint(
        "no session's id begins with '\(word)'",
        remedy: "'footbridge sessions' lists ids; 'last' is the newest")
    }
    guard candidates.count == 1 else {
      let ids = candidates.prefix(3).map { "\($0.id)" }.joined(separator: " or ")
      throw Complaint(
        "'\(word)' may mean \(ids)\(candidates.count > 3 ? " or others" : "")",
        remedy: "write more of the id", status: .usage)
    }
    return first
  }

  /// The beginning of a session's id that no other of them has, at least eight digits.
  public func shortID(of session: Session) -> String {
    // Only the ids before and after it can begin like it the longest.
    var place = ids.partitioningIndex { !$0.isBefore(session.id) }
    var shared = place > 0 ? ids[place - 1].sharedDigits(with: session.id) : 0
    while place < ids.count, ids[place] == session.id { place += 1 }
    if place < ids.count { shared = max(shared, ids[place].sharedDigits(with: session.id)) }
    return String("\(session.id)".filter { $0 != "-" }.prefix(max(8, shared + 1)))
  }
}

/// The first digits of an id.
private struct IDBeginning {
  private let id: UniqueID
  private let digits: Int

  /// `nil` for what no id begins with.
  init?(_ text: String) {
    digits = text.utf8.count
    guard !text.isEmpty,
      let id = UniqueID(text + String(repeating: "0", count: max(0, 32 - digits)))
    else { return nil }
    self.id = id
  }

  func isOf(_ other: UniqueID) -> Bool { other.sharedDigits(with: id) >= digits }
}

extension UniqueID {
  /// Whether its digits come before those of another.
  fileprivate func isBefore(_ other: UniqueID) -> Bool {
    high == other.high ? low < other.low : high < other.high
  }

  /// How many digits two ids have in common at their beginning.
  fileprivate func sharedDigits(with other: UniqueID) -> Int {
    high == other.high
      ? 16 + (low ^ other.low).leadingZeroBitCount / 4
      : (high ^ other.high).leadingZeroBitCount / 4
  }
}

extension [UniqueID] {
  /// The first place from which on `isBehind` holds, in an order in which it does to the end.
  fileprivate func partitioningIndex(_ isBehind: (UniqueID) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
