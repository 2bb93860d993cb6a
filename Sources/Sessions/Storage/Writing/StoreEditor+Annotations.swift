public import Recording
internal import SQLite
public import Values

/// Adds and corrects remarks about points in time during a session.
extension StoreEditor {
  /// - Parameter id: the identity of the remark. A remark with an identity is stored only once,
  ///   however often it is sent.
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

  /// Changes a remark's text, or removes the remark if the new text is empty. An event preserves
  /// the previous text.
  ///
  /// - Parameters:
  ///   - former: the current remark; its instant need only match to the millisecond, as in
  ///     reports.
  ///   - id: the identity of the correction. A correction with an identity is applied only once,
  ///     however often it is sent.
  ///   - time: time of the correction, on the session's boot clock.
  ///   - utc: universal time of the correction.
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

  /// Returns the row number of a remark. If several remarks have the same text, returns the remark
  /// closest in time.
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

  fileprivate func set(_ text: String, ofAnnotation number: Int64) throws(StoreError) {
    let doing = Self.doingCorrection
    if text.isEmpty {
      try run("DELETE FROM annotation WHERE number = ?", [number], doing: doing)
    } else {
      try run("UPDATE annotation SET text = ? WHERE number = ?", [text, number], doing: doing)
    }
  }
}
