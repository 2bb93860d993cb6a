public import Recording
internal import SQLite
public import Values

/// Destinations, and the state of the uploads to them. These methods never change a chunk's bytes.
extension StoreEditor {
  /// Adds a destination, or gives a destination with this name and place other settings.
  ///
  /// A removed place that is added again is the same destination as before: it is only sent the
  /// data that it lacks. Another place is another destination, which is sent everything. Throws
  /// `.refused` if another place has the name, or if the place has another name.
  @discardableResult
  public func addDestination(
    named name: String, place: String, settings: String, at time: UTCTime
  ) throws(StoreError) -> StoredDestination {
    try database.transaction(doing: "add a destination to") { () throws(StoreError) in
      if let other = try database.destination(named: name), other.place != place {
        throw StoreError(
          .refused, "the destination '\(other.name ?? name)' already exists: \(other.place)",
          remedy: "choose another name, or remove that one first: "
            + "'footbridge destination remove \(ShellText.quoted(other.name ?? name))'")
      }
      if let other = try database.destination(at: place), let known = other.name,
        known.lowercased() != name.lowercased()
      {
        throw StoreError(
          .refused, "the destination '\(known)' leads to the same place: \(place)",
          remedy: "remove that one first; nothing is sent twice: "
            + "'footbridge destination remove \(ShellText.quoted(known))'")
      }
      try database.run(
        """
        INSERT INTO destination (name, place, settings, added_utc_ns) VALUES (?, ?, ?, ?)
        ON CONFLICT (place) DO UPDATE SET name = excluded.name, settings = excluded.settings,
          resting_until_utc_ns = NULL, failures = 0, error = ''
        """, [name, place, settings, time], doing: "add a destination to")
    }
    guard let added = try database.destination(at: place) else {
      throw database.damaged("the destination that was just added is missing")
    }
    return added
  }

  /// Removes a destination; `false` if it was unknown. Its settings are deleted; the notes of its
  /// uploads stay.
  public func removeDestination(named name: String) throws(StoreError) -> Bool {
    let removed = try database.run(
      """
      UPDATE destination SET name = NULL, settings = '{}', resting_until_utc_ns = NULL,
        failures = 0, error = ''
      WHERE name = ? COLLATE NOCASE
      """, [name], doing: "remove a destination from")
    return removed == 1
  }

  /// Notes the state of uploads of chunks to a destination, all of them or none. A chunk that was
  /// deleted meanwhile is skipped.
  ///
  /// - Parameter spacing: nanoseconds between the noted times of consecutive uploads, which keep
  ///   their order.
  public func noteUploads(
    _ uploads: [ChunkUpload], to destination: StoredDestination, at time: UTCTime,
    spacing: Int64 = 0
  ) throws(StoreError) {
    guard !uploads.isEmpty else { return }
    try database.transaction(doing: "note an upload in") { () throws(StoreError) in
      var insert = try database.prepare(
        """
        INSERT INTO upload (chunk, destination, state, attempts, error, utc_ns)
        SELECT number, ?, ?, ?, ?, ? FROM chunk WHERE id = ?
        ON CONFLICT DO UPDATE SET state = excluded.state, attempts = excluded.attempts,
          error = excluded.error, utc_ns = excluded.utc_ns
        """, doing: "note an upload in")
      for (position, upload) in uploads.enumerated() {
        try insert.run([
          destination.number, upload.state.rawValue, upload.attempts, upload.error,
          time.nanoseconds &+ Int64(position) &* spacing, upload.chunk,
        ])
      }
    }
  }

  /// Notes the state of the upload of a session's record to a destination.
  public func noteUpload(
    ofSession id: UniqueID, to destination: StoredDestination, _ upload: SessionUpload,
    at time: UTCTime
  ) throws(StoreError) {
    try database.transaction(doing: "note an upload in") { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO session_upload
          (session, destination, state, attempts, error, utc_ns, content, revision)
        SELECT id, ?, ?, ?, ?, ?, ?, ? FROM session WHERE id = ?
        ON CONFLICT DO UPDATE SET state = excluded.state, attempts = excluded.attempts,
          error = excluded.error, utc_ns = excluded.utc_ns,
          content = ifnull(excluded.content, content), revision = excluded.revision
        """,
        [
          destination.number, upload.state.rawValue, upload.attempts, upload.error, time,
          upload.content, upload.revision, id,
        ], doing: "note an upload in")
    }
  }

  /// Notes the pause of a destination, its consecutive failures, and the reason; `nil`, 0 and an
  /// empty text for a destination that is not paused.
  public func rest(
    _ destination: StoredDestination, until time: UTCTime?, failures: Int, error: String
  ) throws(StoreError) {
    try database.run(
      """
      UPDATE destination SET resting_until_utc_ns = ?, failures = ?, error = ? WHERE number = ?
      """, [time, failures, error, destination.number], doing: "note an upload in")
  }

  /// Marks refused items to be sent again, as if they had never been tried. Returns their number.
  ///
  /// - Parameters:
  ///   - session: only items of this session; `nil` for any.
  ///   - chunk: only this chunk, and no records; `nil` for any.
  public func retryParked(
    _ destination: StoredDestination, session: UniqueID? = nil, chunk: UniqueID? = nil
  ) throws(StoreError) -> Int {
    var count = 0
    try database.transaction(doing: "note an upload in") { () throws(StoreError) in
      count += try database.run(
        """
        UPDATE upload SET state = 0, attempts = 0 WHERE destination = ?1 AND state = 2
          AND (?2 IS NULL OR chunk IN (SELECT chunk.number FROM chunk
            JOIN stream ON stream.number = chunk.stream WHERE stream.session = ?2))
          AND (?3 IS NULL OR chunk IN (SELECT number FROM chunk WHERE id = ?3))
        """, [destination.number, session, chunk], doing: "note an upload in")
      guard chunk == nil else { return }
      count += try database.run(
        """
        UPDATE session_upload SET state = 0, attempts = 0 WHERE destination = ?1 AND state = 2
          AND (?2 IS NULL OR session = ?2)
        """, [destination.number, session], doing: "note an upload in")
    }
    return count
  }
}
