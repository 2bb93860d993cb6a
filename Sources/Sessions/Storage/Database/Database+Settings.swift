internal import Recording
internal import SQLite

extension Database {
  /// The name of a settings row, which contains the setting's value.
  enum Setting: String {
    case quota
    case floor
    case whenFull = "when_full"
    case keepSent = "keep_sent"
    case definitions
    case failedPull = "failed_pull"
  }

  /// Returns a setting's value; `nil` if it is not set.
  func setting(_ name: Setting) throws(StoreError) -> String? {
    try first("SELECT value FROM setting WHERE name = ?", [name.rawValue]) { row in row.text(0) }
  }

  /// Sets a setting's value; `nil` removes the setting.
  func set(_ name: Setting, to value: String?) throws(StoreError) {
    let doing = "store a setting in"
    guard let value else {
      try run("DELETE FROM setting WHERE name = ?", [name.rawValue], doing: doing)
      return
    }
    try run(
      "INSERT INTO setting (name, value) VALUES (?, ?) "
        + "ON CONFLICT DO UPDATE SET value = excluded.value", [name.rawValue, value], doing: doing)
  }
}
