internal import Gateway
internal import Terminal

/// A configuration file's text, which is edited key by key until it matches a configuration.
struct ConfigurationDraft {
  /// The text with all edits made so far.
  private(set) var bytes: [UInt8]
  private let file: String

  /// Creates a draft from a file's text, or from the example file if there is no file yet.
  init(_ bytes: [UInt8]?, file: String) {
    self.bytes = bytes ?? Array(ConfigurationExample.text.utf8)
    self.file = file
  }

  /// Edits the text until it matches `next`. Comments, and keys that already match, stay unchanged.
  mutating func say(_ next: GatewayConfiguration) throws {
    let present = ConfigurationReading(bytes, file: file).configuration
    let standard = GatewayConfiguration()
    for key in GatewayConfiguration.keys where key.values(present) != key.values(next) {
      var values = key.values(next) == key.values(standard) ? [] : key.values(next)
      // The key has a default but no value in `next`, so an empty value is written.
      if values.isEmpty, !key.values(standard).isEmpty, key.values(next).isEmpty { values = [""] }
      try set(key.description.path, values)
    }
    for board in present.boards
    where !next.boards.contains(where: { $0.name.lowercased() == board.name.lowercased() }) {
      remove(board.name)
    }
    for board in next.boards {
      // A heading that differs only in case refers to the same board.
      let former = present.boards.first { $0.name.lowercased() == board.name.lowercased() }
      for key in ConfiguredBoard.keys
      where key.values(former ?? ConfiguredBoard()) != key.values(board) {
        try set("board \(board.name).\(key.description.name)", key.values(board))
      }
    }
  }

  /// Describes the differences between two versions of a file: all changed keys, and the boards
  /// that will no longer be recorded.
  static func changes(from former: [UInt8]?, to present: [UInt8]) -> [String] {
    let former = former ?? []
    guard former != present else { return ["Changes: none."] }
    let boards = ConfigurationReading(present, file: "").configuration.boards
    let dropped = ConfigurationReading(former, file: "").configuration.boards.filter { board in
      !boards.contains { $0.address == board.address }
    }
    return ["Changes: \(change(from: former, to: present))."]
      + dropped.map { "[board \($0.name)] with \($0.address) is removed." }
  }

  private static func change(from former: [UInt8], to present: [UInt8]) -> String {
    let old = keys(former)
    let new = keys(present)
    let added = new.keys.filter { old[$0] == nil }.map { "added \($0)" }
    let removed = old.keys.filter { new[$0] == nil }.map { "removed \($0)" }
    let changed = new.keys.filter { old[$0] != nil && old[$0] != new[$0] }.map { "changed \($0)" }
    let all = changed.sorted() + added.sorted() + removed.sorted()
    return all.isEmpty ? "only comments or the order of lines" : all.joined(separator: ", ")
  }

  /// Returns the values of each key as written in the file.
  private static func keys(_ bytes: [UInt8]) -> [String: [String]] {
    var parser = ConfigurationParser(file: "")
    parser.parse(bytes)
    var keys: [String: [String]] = [:]
    for part in parser.parts {
      let heading = [part.section.rawValue, part.name].filter { !$0.isEmpty }
        .joined(separator: " ")
      for entry in part.entries { keys["\(heading).\(entry.key)", default: []].append(entry.value) }
    }
    return keys
  }

  private mutating func set(_ key: String, _ values: [String]) throws(Complaint) {
    bytes = try ConfigurationEdit(key, values).applied(to: bytes, file: file)
  }

  /// Removes a board's heading and the keys below it, but keeps the comments.
  private mutating func remove(_ name: String) {
    var parser = ConfigurationParser(file: file)
    parser.parse(bytes)
    let parts = parser.parts.filter {
      $0.section == .board && $0.name.lowercased() == name.lowercased()
    }
    let gone = Set(parts.flatMap { [$0.line] + $0.entries.map(\.line) })
    let feed = UInt8(ascii: "\n")
    let lines = bytes.split(separator: feed, omittingEmptySubsequences: false).enumerated()
    bytes = Array(
      lines.filter { !gone.contains($0.offset + 1) }.map(\.element).joined(separator: [feed]))
  }
}

extension GatewayConfiguration {
  /// Returns `present` with the changes that led from `former` to this configuration. All boards
  /// together count as a single change.
  func changes(
    since former: GatewayConfiguration, in present: GatewayConfiguration
  ) -> GatewayConfiguration {
    var next = present
    for key in Self.keys where key.values(self) != key.values(former) {
      key.apply(&next, key.values(self))
    }
    if plan.boards != former.boards { next.boards = plan.boards }
    return next
  }
}
