public import Recording
public import Values

/// Corrections of a session's description and of its boards.
extension StoreEditor {
  /// Makes all edits of a session, or none, and returns the events with its former values. If the
  /// session already has all new values, there are no events, and nothing is stored.
  ///
  /// Chunks contain the name that their board had when they were sealed, and keep it: exports and
  /// records use the rows that are changed here.
  ///
  /// - Parameters:
  ///   - time: when the edit is noted, on the clock of the session's boot.
  ///   - utc: the same time as universal time.
  ///   - steps: new counts of boards that were worn elsewhere, in place of the former ones.
  @discardableResult
  public func edit(
    _ session: UniqueID, _ edits: [SessionEdit], at time: BootTime, utc: UTCTime,
    steps: [SessionStatistics.Steps] = []
  ) throws(StoreError) -> [SessionEvent] {
    var events: [SessionEvent] = []
    try database.transaction(doing: Database.doingEdit) { () throws(StoreError) in
      try checkExists(session)
      for edit in edits {
        for (field, text) in try database.values(of: edit, session: session) {
          let former = try database.text(of: field, session: session)
          guard former != text else { continue }
          try database.set(field, to: text, session: session)
          events.append(
            SessionEvent(
              .edited, board: field.board, at: time, utc: utc,
              text: "\(field.name) changed from '\(former)' to '\(text)'"))
        }
      }
      guard !events.isEmpty else { return }
      try database.insert(events, session: session)
      for row in steps { try database.replace(row, session: session) }
    }
    return events
  }
}

/// A text of a session that can be edited.
private enum EditedField {
  case wearer
  case note
  case boardName(BoardAddress)
  case placement(BoardAddress)

  /// Name of the field's column, also used in its events.
  var name: String {
    switch self {
    case .wearer: "wearer"
    case .note: "note"
    case .boardName: "name"
    case .placement: "placement"
    }
  }

  /// The board of the field; `nil` for fields of the session itself.
  var board: BoardAddress? {
    switch self {
    case .wearer, .note: nil
    case .boardName(let board), .placement(let board): board
    }
  }
}

extension Database {
  fileprivate static let doingEdit = "edit a session in"

  /// The fields that an edit sets, each with its text.
  fileprivate func values(
    of edit: SessionEdit, session: UniqueID
  ) throws(StoreError) -> [(EditedField, String)] {
    switch edit {
    case .wearer(let text): return [(.wearer, text)]
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
    var query = try prepare(
      field.board == nil
        ? "SELECT \(field.name) FROM session WHERE id = ?"
        : "SELECT \(field.name) FROM board WHERE session = ? AND address = ?",
      doing: Self.doingEdit)
    try query.bind(session.bytes)
    if let board = field.board { try query.bind(Int64(board.value)) }
    guard try query.step() else {
      let what = field.board.map { "board \($0) in session" } ?? "session"
      throw .found(.unknown, "there is no \(what) \(session) in \(path)", path: path)
    }
    return query.text(0)
  }

  fileprivate func set(
    _ field: EditedField, to text: String, session: UniqueID
  ) throws(StoreError) {
    var update = try prepare(
      field.board == nil
        ? "UPDATE session SET \(field.name) = ? WHERE id = ?"
        : "UPDATE board SET \(field.name) = ? WHERE session = ? AND address = ?",
      doing: Self.doingEdit)
    try update.bind(text)
    try update.bind(session.bytes)
    if let board = field.board { try update.bind(Int64(board.value)) }
    try update.run()
  }

  /// Replaces a count of steps by the same source.
  fileprivate func replace(
    _ steps: SessionStatistics.Steps, session: UniqueID
  ) throws(StoreError) {
    var update = try prepare(
      "UPDATE steps SET steps = ? WHERE session = ? AND board = ? AND source = ?",
      doing: Self.doingEdit)
    try update.bind(Int64(steps.count))
    try update.bind(session.bytes)
    try update.bind(Int64(steps.board.value))
    try update.bind(steps.source.rawValue)
    try update.run()
  }
}
