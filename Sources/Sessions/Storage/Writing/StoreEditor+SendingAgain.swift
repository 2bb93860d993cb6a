public import Recording
internal import SQLite
public import Values

extension StoreEditor {
  /// Discards a destination's confirmations for a session's chunks and record, so that they are
  /// uploaded again. Also marks refused items for another attempt. Failures of waiting items are
  /// retained.
  public func sendAgain(
    _ session: UniqueID, to destination: StoredDestination
  ) throws(StoreError) {
    // Mark refused items first. If the program crashes before the confirmations are discarded, the
    // caller can then repeat the whole call.
    _ = try retryParked(destination, session: session)
    try database.transaction(doing: "record an upload in") { () throws(StoreError) in
      // An uploader skips a record whose hash equals the hash of the last upload, so the stored
      // hash is discarded.
      for statement in [
        """
        DELETE FROM upload WHERE destination = ?1 AND state = 1
          AND chunk IN (SELECT chunk.number FROM chunk
            JOIN stream ON stream.number = chunk.stream WHERE stream.session = ?2)
        """,
        "DELETE FROM session_upload WHERE destination = ?1 AND state = 1 AND session = ?2",
        "UPDATE session_upload SET content = NULL WHERE destination = ?1 AND session = ?2",
      ] {
        try database.run(statement, [destination.number, session], doing: "record an upload in")
      }
    }
  }
}
