public import Recording
internal import SQLite
public import Values

/// The definitions that this computer pulled last: the text as received, with its origin.
///
/// The store keeps it as one text in one row, so that a set is replaced completely or not at all.
public struct StoredDefinitions: Hashable, Sendable {
  /// The name of the destination that the set came from, at that time.
  public var source: String
  /// The place of that destination, since two destinations may have had the same name.
  public var place: String
  /// Time at which the set was pulled, or confirmed as the present one.
  public var pulled: UTCTime
  /// The destination's tag for this state of the set, with which the next pull asks for changes;
  /// `nil` if the destination gave none.
  public var tag: String?
  /// The set, in the form of `docs/definitions.md`.
  public var content: String

  /// A set with its origin.
  public init(source: String, place: String, pulled: UTCTime, tag: String?, content: String) {
    self.source = source
    self.place = place
    self.pulled = pulled
    self.tag = tag
    self.content = content
  }
}

/// The last pull, if it failed. A successful pull removes it.
public struct FailedPull: Hashable, Sendable {
  /// Time of the failure.
  public var time: UTCTime
  /// The reason, for a person.
  public var reason: String
  /// The remedy; empty if there is no general one.
  public var remedy: String

  /// A failure.
  public init(time: UTCTime, reason: String, remedy: String) {
    self.time = time
    self.reason = reason
    self.remedy = remedy
  }
}

extension StoreReader {
  /// The definitions in use; `nil` if none were pulled. An invalid row counts as none: the next
  /// pull replaces it.
  public func definitions() throws(StoreError) -> StoredDefinitions? {
    try database.setting(.definitions).flatMap(StoredDefinitions.init(row:))
  }

  /// The last pull, if it failed.
  public func failedPull() throws(StoreError) -> FailedPull? {
    try database.setting(.failedPull).flatMap(FailedPull.init(row:))
  }
}

extension StoreEditor {
  /// Replaces the definitions, and removes the note of a failure, in one transaction.
  public func keep(_ definitions: StoredDefinitions) throws(StoreError) {
    try database.transaction(doing: "keep definitions in") { () throws(StoreError) in
      try database.set(.definitions, to: definitions.row)
      try database.set(.failedPull, to: nil)
    }
  }

  /// Notes that a pull failed. The definitions stay as they are.
  public func note(_ failure: FailedPull) throws(StoreError) {
    try database.transaction(doing: "note a failed pull in") { () throws(StoreError) in
      try database.set(.failedPull, to: failure.row)
    }
  }

  /// Removes the definitions; `false` if there were none.
  public func forgetDefinitions() throws(StoreError) -> Bool {
    var wereThere = false
    try database.transaction(doing: "forget definitions in") { () throws(StoreError) in
      wereThere = try database.setting(.definitions) != nil
      try database.set(.definitions, to: nil)
      try database.set(.failedPull, to: nil)
    }
    return wereThere
  }
}

extension StoredDefinitions {
  fileprivate var row: String {
    JSONValue.object([
      .init("source", source), .init("place", place), .init("pulled", pulled.iso8601(decimals: 9)),
      .init("tag", tag), .init("content", content),
    ]).text
  }

  fileprivate init?(row: String) {
    guard let json = try? JSON(parsing: Array(row.utf8)), let source = json["source"]?.text,
      let place = json["place"]?.text, let content = json["content"]?.text,
      let pulled = json["pulled"]?.text.flatMap({ UTCTime(iso8601: $0) })
    else { return nil }
    self.init(
      source: source, place: place, pulled: pulled, tag: json["tag"]?.text, content: content)
  }
}

extension FailedPull {
  fileprivate var row: String {
    JSONValue.object([
      .init("time", time.iso8601(decimals: 9)), .init("reason", reason), .init("remedy", remedy),
    ]).text
  }

  fileprivate init?(row: String) {
    guard let json = try? JSON(parsing: Array(row.utf8)), let reason = json["reason"]?.text,
      let time = json["time"]?.text.flatMap({ UTCTime(iso8601: $0) })
    else { return nil }
    self.init(time: time, reason: reason, remedy: json["remedy"]?.text ?? "")
  }
}
