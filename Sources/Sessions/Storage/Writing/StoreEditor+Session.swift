public import Recording
internal import SQLite
public import Values

/// Corrects the descriptions of sessions and their boards.
extension StoreEditor {
  /// Applies all edits to a session in one transaction, and returns the events that preserve the
  /// previous values. If the session already has all the new values, no event is returned, and
  /// nothing is stored.
  ///
  /// Chunks retain the name that a board had when they were sealed. Exports and records use the
  /// rows that are changed here.
  ///
  /// - Parameters:
  ///   - time: time of the edit, on the session's boot clock.
  ///   - utc: universal time of the edit.
  @discardableResult
  public func edit(
    _ session: UniqueID, _ edits: [SessionEdit], at time: BootTime, utc: UTCTime
  ) throws(StoreError) -> [SessionEvent] {
    var events: [SessionEvent] = []
    try database.transaction(doing: Database.doingEdit) { () throws(StoreError) in
      try checkExists(session)
      for edit in edits {
        for (field, text) in try database.values(of: edit, session: session) {
          let former = try database.text(of: field, session: session)
          guard former != text else { continue }
          try database.set(field, to: text, session: session)
          let (before, now) = (field.shown(former), field.shown(text))
          events.append(
            SessionEvent(
              .edited, board: field.board, at: time, utc: utc,
              text: "\(field.name) changed from '\(before)' to '\(now)'"))
        }
      }
      guard !events.isEmpty else { return }
      try database.insert(events, session: session)
    }
    return events
  }
}

/// A text field of a session or board that users can edit.
private enum EditedField {
  case wearer
  case participant
  case note
  case boardName(BoardAddress)
  case placement(BoardAddress)

  /// The name of the column that contains the field. Events also use this name.
  var name: String {
    switch self {
    case .wearer: "wearer"
    case .participant: "participant"
    case .note: "note"
    case .boardName: "name"
    case .placement: "placement"
    }
  }

  var board: BoardAddress? {
    switch self {
    case .wearer, .participant, .note: nil
    case .boardName(let board), .placement(let board): board
    }
  }

  /// Returns a value of the column in the form used in events. For a participant, an event contains
  /// only the pseudonym.
  func shown(_ text: String) -> String {
    guard case .participant = self else { return text }
    return (try? JSON(parsing: Array(text.utf8)))?["id"]?.text ?? text
  }

  func row(of session: UniqueID) -> (table: String, condition: String, key: [any SQLiteValue]) {
    guard let board else { return ("session", "id = ?", [session]) }
    return ("board", "session = ? AND address = ?", [session, board])
  }
}

extension Database {
  fileprivate static var doingEdit: String { "edit a session in" }

  fileprivate func values(
    of edit: SessionEdit, session: UniqueID
  ) throws(StoreError) -> [(EditedField, String)] {
    switch edit {
    case .wearer(let text): return [(.wearer, text)]
    case .participant(let participant): return [(.participant, participant?.json.text ?? "")]
    case .note(let text): return [(.note, text)]
    case .name(let board, let text): return [(.boardName(board), text)]
    case .placement(let board, let text): return [(.placement(board), text)]
    case .swap(let one, let other):
      return [
        (.boardName(one), try text(of: .boardName(other), session: session)),
        (.boardName(other), try text(of: .boardName(one), session: session)),
        (.placement(one), try text(of: .placement(other), session: session)),
        (.placement(other), try text(of: .placement(one), session: session)),
      ]
    }
  }

  fileprivate func text(of field: EditedField, session: UniqueID) throws(StoreError) -> String {
    let (table, condition, key) = field.row(of: session)
    let text = try first(
      "SELECT \(field.name) FROM \(table) WHERE \(condition)", key, doing: Self.doingEdit
    ) { row in row.text(0) }
    if let text { return text }
    let what = field.board.map { "board \($0) in session" } ?? "session"
    throw .found(.unknown, "there is no \(what) \(session) in \(path)", path: path)
  }

  fileprivate func set(
    _ field: EditedField, to text: String, session: UniqueID
  ) throws(StoreError) {
    let (table, condition, key) = field.row(of: session)
    try run(
      "UPDATE \(table) SET \(field.name) = ? WHERE \(condition)", [text] + key,
      doing: Self.doingEdit)
  }
}
