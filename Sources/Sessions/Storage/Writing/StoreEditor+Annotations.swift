public import Recording
internal import SQLite
public import Values

/// Remarks on instants of a session.
extension StoreEditor {
  /// Adds a remark on an instant of a session.
  ///
  /// - Parameter id: the identity of the remark, which is stored once however often it is sent.
  @discardableResult
  public func annotate(
    _ annotation: Annotation, session: UniqueID, id: UniqueID? = nil
  ) throws(StoreError) -> ReportState {
    let doing = "annotate a session in"
    return try once(id, "note \(session) \(annotation.text)", doing: doing, session) {
      () throws(StoreError) in
      try database.run(
        "INSERT INTO annotation (session, time_ns, text) VALUES (?, ?, ?)",
        [session, annotation.time, annotation.text], doing: doing)
      return true
    }
  }

  /// Changes the text of a remark, or removes the remark if the new text is empty. Its former text
  /// stays among the events.
  ///
  /// - Parameters:
  ///   - former: the remark as it is now; its instant need only match to the millisecond, as in
  ///     reports.
  ///   - id: the identity of the correction, which is made once however often it is sent.
  ///   - time: time of the correction, on the clock of the session's boot.
  ///   - utc: the same time as universal time.
  public func correct(
    _ former: Annotation, to text: String, session: UniqueID, id: UniqueID? = nil,
    at time: BootTime, utc: UTCTime
  ) throws(StoreError) -> ReportState {
    let content = "correction \(session) \(former.text)\n\(text)"
    return try once(id, content, doing: Database.doingCorrection, session) {
      () throws(StoreError) in
      guard let number = try database.number(of: former, session: session) else { return false }
      guard text != former.text else { return true }
      try database.set(text, ofAnnotation: number)
      let change =
        text.isEmpty
        ? "annotation '\(former.text)' removed"
        : "annotation changed from '\(former.text)' to '\(text)'"
      try database.insert(
        [SessionEvent(.edited, at: time, utc: utc, text: change)], session: session)
      return true
    }
  }
}

extension Database {
  fileprivate static var doingCorrection: String { "correct an annotation in" }

  /// The row of a remark, the nearest one if several have the same text.
  fileprivate func number(
    of annotation: Annotation, session: UniqueID
  ) throws(StoreError) -> Int64? {
    try first(
      """
      SELECT number FROM annotation
      WHERE session = ?1 AND text = ?2 AND abs(time_ns - ?3) <= 1000000
      ORDER BY abs(time_ns - ?3), number LIMIT 1
      """, [session, annotation.text, annotation.time], doing: Self.doingCorrection
    ) { row in row.integer(0) }
  }

  /// Sets the text of a remark; an empty text removes it.
  fileprivate func set(_ text: String, ofAnnotation number: Int64) throws(StoreError) {
    let doing = Self.doingCorrection
    if text.isEmpty {
      try run("DELETE FROM annotation WHERE number = ?", [number], doing: doing)
    } else {
      try run("UPDATE annotation SET text = ? WHERE number = ?", [text, number], doing: doing)
    }
  }
}
