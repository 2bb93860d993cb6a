public import Recording
internal import Storage
public import Terminal
internal import Values

/// Finds the session that the user named, among the sessions in a store. The name is a session's
/// id, the beginning of its id, or `last`.
public struct SessionDirectory: Hashable, Sendable {
  /// The sessions, in the order in which they began.
  public let sessions: [Session]
  private let names: SessionNames

  /// The command that lists the sessions in a store.
  public static let list = "\(Version.program) sessions"
  /// The word for the session that started last.
  public static let last = "last"

  /// Creates a directory of the sessions in a store or a folder. `list` is the command that lists
  /// the sessions; `nil` if there is none.
  public init(
    _ sessions: [Session], in place: String, list: String? = SessionDirectory.list
  ) {
    self.sessions = sessions
    names = SessionNames(sessions.map(\.id), in: place, list: list)
  }

  /// Reads the sessions that `word` may match. Sessions with neighbouring ids are included, because
  /// a short id must differ from them.
  init(of reader: borrowing StoreReader, like word: String, in store: String) throws {
    let newest = try reader.sessions(newest: 1)
    if word.lowercased() == Self.last, let id = newest.first?.id {
      self.init(try reader.sessions(near: id, id), in: store)
    } else if let beginning = IDBeginning(of: word) {
      self.init(try reader.sessions(near: beginning.id, beginning.last), in: store)
    } else {
      // No id can begin with this string, so the search will fail. The error differs only if the
      // store is empty, so reading the newest session is sufficient.
      self.init(newest, in: store)
    }
  }

  /// Returns the only session that `word` matches. Throws if the word is ambiguous or matches no
  /// session.
  public func session(_ word: String) throws(Complaint) -> Session {
    sessions[try names.position(of: word)]
  }

  /// Returns the shortest unique beginning of a session's id, at least eight digits.
  public func shortID(of session: Session) -> String { names.short(session.id) }
}

/// Finds sessions by the beginning of their ids.
struct SessionNames: Hashable, Sendable {
  /// The ids, in the order in which the sessions began.
  private let begun: [UniqueID]
  /// The sorted ids, so that ids with the same beginning are neighbours.
  private let ids: [UniqueID]
  /// The name of the store or endpoint that contains the sessions, for messages.
  private let place: String
  /// The command that lists the sessions; `nil` if there is none.
  private let list: String?

  /// The ids must be in the order in which the sessions began.
  init(_ begun: [UniqueID], in place: String, list: String? = SessionDirectory.list) {
    self.begun = begun
    ids = begun.sorted { $0.isBefore($1) }
    self.place = place
    self.list = list
  }

  /// Returns the index of the only session that `word` matches.
  func position(of word: String) throws(Complaint) -> Int {
    guard !begun.isEmpty else {
      throw Complaint(
        "there are no sessions in \(place)",
        remedy: list == nil ? "specify another folder" : "record one with 'footbridge record'")
    }
    if word.lowercased() == SessionDirectory.last { return begun.count - 1 }
    let beginning = IDBeginning(of: word)
    let candidates = begun.indices.filter { beginning?.isOf(begun[$0]) ?? false }
    guard let first = candidates.first else {
      throw Complaint(
        "no session's id begins with '\(word)'",
        remedy: list.map { "'\($0)' lists ids; 'last' selects the newest session" }
          ?? "existing ids are " + begun.suffix(3).map { "\($0)" }.joined(separator: ", ")
          + (begun.count > 3 ? " and older ones" : ""))
    }
    guard Set(candidates.map { begun[$0] }).count > 1 || candidates.count == 1 else {
      throw Complaint(
        "several gateways have session \(begun[first])",
        remedy: "select one with '--gateway ID'"
          + (list.map { "; '\($0) --json' shows their ids" } ?? ""),
        status: .usage)
    }
    guard candidates.count == 1 else {
      let ids = candidates.prefix(3).map { "\(begun[$0])" }.joined(separator: " or ")
      throw Complaint(
        "'\(word)' could mean \(ids)\(candidates.count > 3 ? " or others" : "")",
        remedy: "enter more of the id", status: .usage)
    }
    return first
  }

  /// Returns the shortest unique beginning of an id, at least eight digits.
  func short(_ id: UniqueID) -> String {
    // The id that shares the longest prefix with this id is always its neighbour in sorted order.
    var place = ids.partitioningIndex { !$0.isBefore(id) }
    var shared = place > 0 ? ids[place - 1].sharedDigits(with: id) : 0
    while place < ids.count, ids[place] == id { place += 1 }
    if place < ids.count { shared = max(shared, ids[place].sharedDigits(with: id)) }
    return String("\(id)".filter { $0 != "-" }.prefix(max(8, shared + 1)))
  }
}

/// The first digits of an id, as typed by the user.
private struct IDBeginning {
  /// The smallest id that begins with these digits.
  let id: UniqueID
  private let digits: Int

  /// Returns `nil` if no id can begin with this string.
  init?(of word: String) {
    let text = word.lowercased().filter { $0 != "-" }
    digits = text.utf8.count
    guard !text.isEmpty,
      let id = UniqueID(text + String(repeating: "0", count: max(0, 32 - digits)))
    else { return nil }
    self.id = id
  }

  /// The largest id that begins with these digits.
  var last: UniqueID {
    // In Swift, shifting by the full width of an integer gives zero.
    UniqueID(
      high: id.high | .max >> UInt64(4 * digits),
      low: id.low | .max >> UInt64(4 * max(0, digits - 16)))
  }

  func isOf(_ other: UniqueID) -> Bool { other.sharedDigits(with: id) >= digits }
}

extension UniqueID {
  fileprivate func isBefore(_ other: UniqueID) -> Bool {
    high == other.high ? low < other.low : high < other.high
  }

  /// Returns the number of leading digits that two ids share.
  fileprivate func sharedDigits(with other: UniqueID) -> Int {
    high == other.high
      ? 16 + (low ^ other.low).leadingZeroBitCount / 4
      : (high ^ other.high).leadingZeroBitCount / 4
  }
}

extension [UniqueID] {
  /// Returns the first index at which `isBehind` is true. The predicate must be true for all later
  /// elements too.
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
