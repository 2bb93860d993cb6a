public import Recording

/// The sessions of a store, as words on a command line name them: by id, by the beginning of it, or as
/// `last`.
public struct SessionDirectory: Hashable, Sendable {
  /// The sessions in the order in which they were begun.
  public let sessions: [Session]
  /// The store they are in, for messages.
  private let store: String

  /// The word for the session that was begun last.
  public static let last = "last"

  /// A directory of these sessions of a store.
  public init(_ sessions: [Session], in store: String) {
    self.sessions = sessions
    self.store = store
  }

  /// The session a word means; a word that may mean several is refused, and one that means none.
  public func session(_ word: String) throws(Complaint) -> Session {
    guard let newest = sessions.last else {
      throw Complaint(
        "there is no session in \(store)", remedy: "record one with 'footbridge record'")
    }
    let wanted = Self.digits(word.lowercased())
    if wanted == Self.last { return newest }
    let candidates = sessions.filter { Self.digits("\($0.id)").hasPrefix(wanted) }
    guard let first = candidates.first, !wanted.isEmpty else {
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
    let all = sessions.map { Self.digits("\($0.id)") }
    let own = Self.digits("\(session.id)")
    let length = (8...32).first { length in
      all.count { $0.hasPrefix(own.prefix(length)) } <= 1
    }
    return String(own.prefix(length ?? 32))
  }

  private static func digits(_ text: String) -> String { text.filter { $0 != "-" } }
}
