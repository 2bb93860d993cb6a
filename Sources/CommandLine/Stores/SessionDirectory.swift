public import Recording
internal import Storage
public import Terminal
internal import Values

/// The sessions of a store, as words on a command line name them: by id, by the beginning of it, or
/// as `last`.
public struct SessionDirectory: Hashable, Sendable {
  /// The sessions in the order in which they were begun.
  public let sessions: [Session]
  private let names: SessionNames

  /// The command that lists the sessions of a store.
  public static let list = "\(Version.program) sessions"
  /// The word for the session that was begun last.
  public static let last = "last"

  /// A directory of these sessions of a store, or of another place that this command lists; `nil`
  /// if none does.
  public init(
    _ sessions: [Session], in place: String, list: String? = SessionDirectory.list
  ) {
    self.sessions = sessions
    names = SessionNames(sessions.map(\.id), in: place, list: list)
  }

  /// The sessions of a store that `word` may mean, and their neighbours by id, from which a short
  /// form must differ.
  init(of reader: borrowing StoreReader, like word: String, in store: String) throws {
    let newest = try reader.sessions(newest: 1)
    if word.lowercased() == Self.last, let id = newest.first?.id {
      self.init(try reader.sessions(near: id, id), in: store)
    } else if let beginning = IDBeginning(of: word) {
      self.init(try reader.sessions(near: beginning.id, beginning.last), in: store)
    } else {
      // No id begins like this. Any session is enough for the error.
      self.init(newest, in: store)
    }
  }

  /// The session that a word means; an ambiguous or unknown word is refused.
  public func session(_ word: String) throws(Complaint) -> Session {
    sessions[try names.position(of: word)]
  }

  /// The beginning of a session's id that no other session has, at least eight digits.
  public func shortID(of session: Session) -> String { names.short(session.id) }
}

/// Ids of sessions, as words name them.
struct SessionNames: Hashable, Sendable {
  /// The ids in the order in which the sessions were begun.
  private let begun: [UniqueID]
  /// The same by value, so that ids with the same beginning are neighbours.
  private let ids: [UniqueID]
  /// The name of the place that has them, for messages.
  private let place: String
  /// The command that lists its sessions; `nil` if none does.
  private let list: String?

  /// The ids of sessions in the order in which they were begun, in a store or another place.
  init(_ begun: [UniqueID], in place: String, list: String? = SessionDirectory.list) {
    self.begun = begun
    ids = begun.sorted { $0.isBefore($1) }
    self.place = place
    self.list = list
  }

  /// The position of the session that a word means.
  func position(of word: String) throws(Complaint) -> Int {
    guard !begun.isEmpty else {
      throw Complaint(
        "there is no session in \(place)",
        remedy: list == nil ? "name another folder" : "record one with 'footbridge record'")
    }
    if word.lowercased() == SessionDirectory.last { return begun.count - 1 }
    let beginning = IDBeginning(of: word)
    let candidates = begun.indices.filter { beginning?.isOf(begun[$0]) ?? false }
    guard let first = candidates.first else {
      throw Complaint(
        "no session's id begins with '\(word)'",
        remedy: list.map { "'\($0)' lists ids; 'last' is the newest" }
          ?? "it has " + begun.suffix(3).map { "\($0)" }.joined(separator: ", ")
          + (begun.count > 3 ? " and older ones" : ""))
    }
    guard Set(candidates.map { begun[$0] }).count > 1 || candidates.count == 1 else {
      throw Complaint(
        "several gateways have session \(begun[first])",
        remedy: "name one with '--gateway ID'"
          + (list.map { "; '\($0) --json' shows their ids" } ?? ""),
        status: .usage)
    }
    guard candidates.count == 1 else {
      let ids = candidates.prefix(3).map { "\(begun[$0])" }.joined(separator: " or ")
      throw Complaint(
        "'\(word)' may mean \(ids)\(candidates.count > 3 ? " or others" : "")",
        remedy: "write more of the id", status: .usage)
    }
    return first
  }

  /// The beginning of an id that no other one has, at least eight digits.
  func short(_ id: UniqueID) -> String {
    // Only its neighbours can share its longest beginning.
    var place = ids.partitioningIndex { !$0.isBefore(id) }
    var shared = place > 0 ? ids[place - 1].sharedDigits(with: id) : 0
    while place < ids.count, ids[place] == id { place += 1 }
    if place < ids.count { shared = max(shared, ids[place].sharedDigits(with: id)) }
    return String("\(id)".filter { $0 != "-" }.prefix(max(8, shared + 1)))
  }
}

/// The first digits of an id.
private struct IDBeginning {
  /// The smallest id with these digits.
  let id: UniqueID
  private let digits: Int

  /// `nil` for a text with which no id begins.
  init?(of word: String) {
    let text = word.lowercased().filter { $0 != "-" }
    digits = text.utf8.count
    guard !text.isEmpty,
      let id = UniqueID(text + String(repeating: "0", count: max(0, 32 - digits)))
    else { return nil }
    self.id = id
  }

  /// The largest id with these digits.
  var last: UniqueID {
    // A shift by all digits gives zero.
    UniqueID(
      high: id.high | .max >> UInt64(4 * digits),
      low: id.low | .max >> UInt64(4 * max(0, digits - 16)))
  }

  func isOf(_ other: UniqueID) -> Bool { other.sharedDigits(with: id) >= digits }
}

extension UniqueID {
  /// Whether its digits come before those of another.
  fileprivate func isBefore(_ other: UniqueID) -> Bool {
    high == other.high ? low < other.low : high < other.high
  }

  /// The number of leading digits that two ids share.
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
