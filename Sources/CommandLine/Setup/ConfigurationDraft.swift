/// The text of a configuration file that is changed key by key, until it says what a configuration
/// is to say.
struct ConfigurationDraft {
  /// The text.
  private(set) var bytes: [UInt8]
  private let file: String

  /// A draft that begins with a text, or with the example where there is none yet.
  init(_ bytes: [UInt8]?, file: String) {
    self.bytes = bytes ?? Array(ConfigurationExample.text.utf8)
    self.file = file
  }

  /// Changes the text so that it says `next`. Keys that mean the same already stay as they are, and
  /// so do comments.
  mutating func say(_ next: GatewayConfiguration) throws {
    let present = ConfigurationReading(bytes, file: file).configuration
    let standard = GatewayConfiguration()
    for key in GatewayConfiguration.keys where key.values(present) != key.values(next) {
      var values = key.values(next) == key.values(standard) ? [] : key.values(next)
      // None, where the default is something.
      if values.isEmpty, !key.values(standard).isEmpty, key.values(next).isEmpty { values = [""] }
      try set(key.description.path, values)
    }
    for board in present.boards
    where !next.boards.contains(where: { $0.name.lowercased() == board.name.lowercased() }) {
      remove(board.name)
    }
    for board in next.boards {
      // A heading that differs in its case only means the same board.
      let former = present.boards.first { $0.name.lowercased() == board.name.lowercased() }
      for key in ConfiguredBoard.keys
      where key.values(former ?? ConfiguredBoard()) != key.values(board) {
        try set("board \(board.name).\(key.description.name)", key.values(board))
      }
    }
  }

  private mutating func set(_ key: String, _ values: [String]) throws(Complaint) {
    bytes = try ConfigurationEdit(key, values).applied(to: bytes, file: file)
  }

  /// Takes the heading of a board and its keys out. Comments stay.
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
