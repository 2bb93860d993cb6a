public import Recording
internal import SQLite
public import Values

/// Edits destinations and the state of their uploads. These methods never change a chunk's bytes.
extension StoreEditor {
  /// Adds a destination, or changes the settings of the destination with this name and address.
  ///
  /// An address that was removed and is added again is still the same destination, and receives
  /// only the data that it does not yet have. A different address is a different destination, which
  /// receives everything. Throws `.refused` if another address already has the name, or if the
  /// address already has another name.
  @discardableResult
  public func addDestination(
    named name: String, place: String, settings: String, at time: UTCTime
  ) throws(StoreError) -> StoredDestination {
    try database.transaction(doing: "add a destination to") { () throws(StoreError) in
      if let other = try database.destination(named: name), other.place != place {
        throw StoreError(
          .refused, "the destination '\(other.name ?? name)' already exists: \(other.place)",
          remedy: "choose another name, or remove that destination first: "
            + "'footbridge destination remove \(ShellText.quoted(other.name ?? name))'")
      }
      if let other = try database.destination(at: place), let known = other.name,
        known.lowercased() != name.lowercased()
      {
        throw StoreError(
          .refused, "the destination '\(known)' already points to the same place: \(place)",
          remedy: "remove that destination first; data already sent is not sent again: "
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

  /// Removes a destination. Returns `false` if there is no such destination. Its settings are
  /// deleted, but the state of its uploads is retained.
  public func removeDestination(named name: String) throws(StoreError) -> Bool {
    let removed = try database.run(
      """
      UPDATE destination SET name = NULL, settings = '{}', resting_until_utc_ns = NULL,
        failures = 0, error = ''
      WHERE name = ? COLLATE NOCASE
      """, [name], doing: "remove a destination from")
    return removed == 1
  }

  /// Stores the results of uploading chunks to a destination, in one transaction. Chunks that were
  /// deleted in the meantime are skipped.
  ///
  /// - Parameter spacing: nanoseconds between the stored times of consecutive uploads, so that
  ///   their order is preserved.
  public func noteUploads(
    _ uploads: [ChunkUpload], to destination: StoredDestination, at time: UTCTime,
    spacing: Int64 = 0
  ) throws(StoreError) {
    guard !uploads.isEmpty else { return }
    try database.transaction(doing: "record an upload in") { () throws(StoreError) in
      var insert = try database.prepare(
        """
        INSERT INTO upload (chunk, destination, state, attempts, error, utc_ns)
        SELECT number, ?, ?, ?, ?, ? FROM chunk WHERE id = ?
        ON CONFLICT DO UPDATE SET state = excluded.state, attempts = excluded.attempts,
          error = excluded.error, utc_ns = excluded.utc_ns
        """, doing: "record an upload in")
      for (position, upload) in uploads.enumerated() {
        try insert.run([
          destination.number, upload.state.rawValue, upload.attempts, upload.error,
          time.nanoseconds &+ Int64(position) &* spacing, upload.chunk,
        ])
      }
    }
  }

  public func noteUpload(
    ofSession id: UniqueID, to destination: StoredDestination, _ upload: SessionUpload,
    at time: UTCTime
  ) throws(StoreError) {
    try database.transaction(doing: "record an upload in") { () throws(StoreError) in
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
        ], doing: "record an upload in")
    }
  }

  /// Stores the time until which uploads to a destination are paused, the number of its consecutive
  /// failures, and the reason. If uploads are not paused, these are `nil`, 0 and an empty string.
  public func rest(
    _ destination: StoredDestination, until time: UTCTime?, failures: Int, error: String
  ) throws(StoreError) {
    try database.run(
      """
      UPDATE destination SET resting_until_utc_ns = ?, failures = ?, error = ? WHERE number = ?
      """, [time, failures, error, destination.number], doing: "record an upload in")
  }

  /// Marks refused items for upload, as if no attempt had been made. Returns the number of these
  /// items.
  ///
  /// - Parameters:
  ///   - session: the session whose items are marked; `nil` for all sessions.
  ///   - chunk: the only chunk to mark, in which case no records are marked; `nil` for all items.
  public func retryParked(
    _ destination: StoredDestination, session: UniqueID? = nil, chunk: UniqueID? = nil
  ) throws(StoreError) -> Int {
    var count = 0
    try database.transaction(doing: "record an upload in") { () throws(StoreError) in
      count += try database.run(
        """
        UPDATE upload SET state = 0, attempts = 0 WHERE destination = ?1 AND state = 2
          AND (?2 IS NULL OR chunk IN (SELECT chunk.number FROM chunk
            JOIN stream ON stream.number = chunk.stream WHERE stream.session = ?2))
          AND (?3 IS NULL OR chunk IN (SELECT number FROM chunk WHERE id = ?3))
        """, [destination.number, session, chunk], doing: "record an upload in")
      guard chunk == nil else { return }
      count += try database.run(
        """
        UPDATE session_upload SET state = 0, attempts = 0 WHERE destination = ?1 AND state = 2
          AND (?2 IS NULL OR session = ?2)
        """, [destination.number, session], doing: "record an upload in")
    }
    return count
  }
}
