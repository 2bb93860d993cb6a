public import Recording
internal import SQLite
public import Values

/// The set of definitions that this computer last pulled from a destination, as received.
///
/// The set is stored as a single string in one row, so that it is always replaced as a whole.
public struct StoredDefinitions: Hashable, Sendable {
  /// The name of the destination from which the set was pulled, as it was at that time.
  public var source: String
  /// The address of the destination from which the set was pulled. Two destinations may have had
  /// the same name at different times.
  public var place: String
  /// Time at which the set was pulled, or last confirmed as current.
  public var pulled: UTCTime
  /// The destination's tag for this version of the set; `nil` if the destination sent none. The
  /// next pull sends the tag so that the destination sends the set only if it has changed.
  public var tag: String?
  /// The definitions in the format described in `docs/definitions.md`.
  public var content: String

  public init(source: String, place: String, pulled: UTCTime, tag: String?, content: String) {
    self.source = source
    self.place = place
    self.pulled = pulled
    self.tag = tag
    self.content = content
  }
}

/// The failure of the last attempt to pull definitions. A successful pull removes it.
public struct FailedPull: Hashable, Sendable {
  public var time: UTCTime
  /// The reason for the failure, as text to show to the user.
  public var reason: String
  /// The remedy for the failure; empty if there is no general remedy.
  public var remedy: String

  public init(time: UTCTime, reason: String, remedy: String) {
    self.time = time
    self.reason = reason
    self.remedy = remedy
  }
}

extension StoreReader {
  /// Returns the definitions in use; `nil` if no definitions were pulled. An invalid row is treated
  /// as missing, and the next pull replaces it.
  public func definitions() throws(StoreError) -> StoredDefinitions? {
    try database.setting(.definitions).flatMap(StoredDefinitions.init(row:))
  }

  /// Returns the failure of the last pull; `nil` if it did not fail.
  public func failedPull() throws(StoreError) -> FailedPull? {
    try database.setting(.failedPull).flatMap(FailedPull.init(row:))
  }
}

extension StoreEditor {
  /// Replaces the definitions, and removes any recorded failure, in one transaction.
  public func keep(_ definitions: StoredDefinitions) throws(StoreError) {
    try database.transaction(doing: "store definitions in") { () throws(StoreError) in
      try database.set(.definitions, to: definitions.row)
      try database.set(.failedPull, to: nil)
    }
  }

  /// Records that a pull failed. The definitions remain unchanged.
  public func note(_ failure: FailedPull) throws(StoreError) {
    try database.transaction(doing: "record a failed pull in") { () throws(StoreError) in
      try database.set(.failedPull, to: failure.row)
    }
  }

  /// Removes the definitions. Returns `false` if there were none.
  public func forgetDefinitions() throws(StoreError) -> Bool {
    var wereThere = false
    try database.transaction(doing: "remove definitions from") { () throws(StoreError) in
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
