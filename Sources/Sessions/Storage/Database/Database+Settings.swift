internal import Recording

extension Database {
  /// A name in the table of settings, each of which has one text.
  enum Setting: String {
    case quota
    case floor
    case whenFull = "when_full"
    case keepSent = "keep_sent"
    case definitions
    case failedPull = "failed_pull"
  }

  /// The text of a setting; `nil` where it was never set.
  func setting(_ name: Setting) throws(StoreError) -> String? {
    var query = try prepare("SELECT value FROM setting WHERE name = ?", doing: "read")
    try query.bind(name.rawValue)
    return try query.step() ? query.text(0) : nil
  }

  /// Sets the text of a setting, or takes it out.
  func set(_ name: Setting, to value: String?) throws(StoreError) {
    var change = try prepare(
      value == nil
        ? "DELETE FROM setting WHERE name = ?"
        : "INSERT INTO setting (name, value) VALUES (?1, ?2) "
          + "ON CONFLICT DO UPDATE SET value = excluded.value",
      doing: "keep a setting in")
    try change.bind(name.rawValue)
    if let value { try change.bind(value) }
    try change.run()
  }
}
