internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// Stores and reads the notes that users and the recorder made about a session.
extension Database {
  func insert(_ events: [SessionEvent], session: UniqueID) throws(StoreError) {
    guard !events.isEmpty else { return }
    var insert = try prepare(
      "INSERT INTO event (session, board, kind, time_ns, utc_ns, value, text) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?)", doing: "write to")
    for event in events {
      try insert.run([
        session, event.board, event.kind.rawValue, event.time, event.utc, event.value, event.text,
      ])
    }
  }

  /// Returns a session's events in the order in which they were stored. Skips events of an unknown
  /// kind.
  func events(
    of session: UniqueID, only kind: SessionEvent.Kind? = nil
  ) throws(StoreError) -> [SessionEvent] {
    try rows(
      """
      SELECT kind, board, time_ns, utc_ns, value, text FROM event
      WHERE session = ?1 AND kind = ifnull(?2, kind) ORDER BY number
      """, [session, kind?.rawValue]
    ) { row in
      guard let kind = SessionEvent.Kind(rawValue: row.text(0)) else { return nil }
      return SessionEvent(
        kind, board: row.optionalBoard(1), at: row.time(2), utc: row.optionalUTC(3),
        value: row.optionalDouble(4), text: row.text(5))
    }
  }

  /// Stores a hazard, replacing the session's existing hazard with the same name. With
  /// `yieldsToLater`, an existing hazard with a later time is kept. The report is also stored as an
  /// event, so that earlier reports are retained.
  func insert(
    _ hazard: Hazard, session: UniqueID, yieldsToLater: Bool = false
  ) throws(StoreError) {
    try insertRow(of: hazard, session: session, yieldsToLater: yieldsToLater)
    let report = SessionEvent(
      .hazard, at: hazard.time, utc: hazard.utc, value: Double(hazard.intensity),
      text: hazard.name)
    try insert([report], session: session)
  }

  /// Stores a hazard without an event.
  func insertRow(
    of hazard: Hazard, session: UniqueID, yieldsToLater: Bool = false
  ) throws(StoreError) {
    try run(
      """
      INSERT INTO hazard (session, name, intensity, time_ns, utc_ns, latitude, longitude)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, intensity = excluded.intensity,
        time_ns = excluded.time_ns, utc_ns = excluded.utc_ns, latitude = excluded.latitude,
        longitude = excluded.longitude
        \(yieldsToLater ? "WHERE excluded.time_ns >= hazard.time_ns" : "")
      """,
      [
        session, hazard.name, hazard.intensity, hazard.time, hazard.utc, hazard.position?.latitude,
        hazard.position?.longitude,
      ], doing: "store a hazard in")
  }

  /// Moves notes dated after the end of a session to its end. A user may add a note after the
  /// recorder has determined the end, but before it stores the end. The end of an interrupted
  /// session is only the end of its data.
  func moveNotes(toEndOf session: UniqueID) throws(StoreError) {
    for (table, columns) in [
      ("hazard", "utc_ns = utc_ns + end_ns - time_ns, "), ("annotation", ""),
      // A correction or a report keeps the time at which it was made, even after the session.
      (
        "event",
        """
        utc_ns = CASE WHEN kind IN ('\(SessionEvent.Kind.edited.rawValue)',
          '\(SessionEvent.Kind.submitted.rawValue)') THEN utc_ns
          ELSE utc_ns + end_ns - time_ns END,
        """ + " "
      ),
    ] {
      try run(
        """
        UPDATE \(table) SET \(columns)time_ns = end_ns FROM session
        WHERE session.id = ?1 AND ending = 0 AND \(table).session = ?1 AND time_ns > end_ns
        \(table == "event" ? "AND kind NOT IN (\(Self.recorderKinds))" : "")
        """, [session], doing: "write to")
    }
  }

  /// The kinds of events that only a recorder adds, as an SQL list.
  private static var recorderKinds: String {
    SessionEvent.Kind.allCases.filter(\.isOfRecorder).map { "'\($0.rawValue)'" }
      .joined(separator: ", ")
  }

  func storedSession(_ id: UniqueID) throws(StoreError) -> Session? {
    try storedSessions("WHERE id = x'\(Hexadecimal.text(id.bytes))'").first
  }

  /// Returns the sessions that satisfy an SQL condition, in order of registration.
  func storedSessions(_ condition: String = "") throws(StoreError) -> [Session] {
    // Sort the rows explicitly: reading them in index order would look up every row by its id, at
    // twice the cost.
    try sessions("\(condition) ORDER BY +number, boot_id, start_ns, id")
  }

  /// Returns the sessions registered last, at most `limit`, in order of registration.
  func newestSessions(_ limit: Int) throws(StoreError) -> [Session] {
    guard limit > 0 else { return [] }
    // The subquery reads only the index. It finds the lowest number, which bounds the search: with
    // `LIMIT` alone, SQLite 3.46 would read and sort all sessions. The limit is part of the SQL
    // text, so that SQLite can plan for it.
    return try sessions(
      """
      WHERE number >= ifnull(
        (SELECT number FROM session ORDER BY number DESC LIMIT 1 OFFSET \(limit - 1)), \(Int64.min))
      ORDER BY number DESC, boot_id DESC, start_ns DESC, id DESC LIMIT \(limit)
      """
    ).reversed()
  }

  /// Returns the session that this gateway recorded last; `nil` if there is none.
  func lastRecordedSession() throws(StoreError) -> Session? {
    try sessions("WHERE received = 0 ORDER BY number DESC LIMIT 1").first
  }

  private func sessions(_ which: String) throws(StoreError) -> [Session] {
    // A store that has been opened only by readers since the last release still has the first
    // schema.
    let participant = try integer("PRAGMA user_version") < 2 ? "''" : "participant"
    return try rows(
      """
      SELECT id, boot_id, start_ns, end_ns, note, ending, gateway, wearer, received, \(participant)
      FROM session \(which)
      """
    ) { row throws(StoreError) in
      Session(
        id: try row.id(0), bootID: try row.id(1), start: row.time(2), end: row.optionalTime(3),
        ending: row.optionalCode(5).flatMap(Session.Ending.init(rawValue:)), note: row.text(4),
        gateway: row.text(6), wearer: row.text(7),
        participant: (try? JSON(parsing: Array(row.text(9).utf8))).flatMap(Participant.init(json:)),
        isArriving: row.int(8) == Received.pieces)
    }
  }

  /// Returns the latest time in a session for which its recorder stored data.
  func lastTime(of session: UniqueID) throws(StoreError) -> BootTime {
    var last = try lastTimeOfNotes(of: session)
    // Finds the newest chunk of each stream through the index alone. Reading all chunks would read
    // the whole store.
    try each(
      """
      SELECT bytes, first_ns + CAST(ifnull((samples - 1) * 1e9 / nullif(rate, 0), 0) AS INTEGER)
      FROM stream JOIN chunk ON chunk.stream = stream.number AND chunk.sequence =
        (SELECT max(sequence) FROM chunk WHERE chunk.stream = stream.number)
      WHERE stream.session = ?
      """, [session]
    ) { row in
      if let chunk = try? Chunk(decoding: row.bytes(0).span) {
        // A chunk without samples records that its board was absent.
        let end = chunk.arrivals.last ?? chunk.gaps.map(\.end).max()
        last = max(last, end ?? last)
      } else {
        // The row may be readable even if its chunk is not, but it yields only an estimate of the
        // chunk's end. A board with a fast clock takes its samples in less time than the configured
        // rate implies.
        last = max(last, row.time(1))
      }
    }
    return last
  }

  /// For each stream of a session, returns the newest chunk with samples, and the later chunks,
  /// which only record that the board was absent. Unreadable chunks are skipped.
  func newestChunks(
    of session: UniqueID
  ) throws(StoreError) -> [(chunk: Chunk, absences: [Chunk])] {
    var newest: [Int64: (chunk: Chunk, absences: [Chunk])] = [:]
    try each(
      """
      SELECT stream, bytes FROM stream JOIN chunk ON chunk.stream = stream.number
        AND chunk.sequence >=
          (SELECT sequence FROM chunk WHERE chunk.stream = stream.number AND samples > 0
            ORDER BY sequence DESC LIMIT 1)
      WHERE stream.session = ? ORDER BY stream, sequence
      """, [session]
    ) { row in
      guard let chunk = try? Chunk(decoding: row.bytes(1).span) else { return }
      if chunk.count > 0 {
        newest[row.integer(0)] = (chunk, [])
      } else {
        newest[row.integer(0)]?.absences.append(chunk)
      }
    }
    return newest.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns the latest time among a session's start, fixes and clock entries, and its recorder's
  /// events.
  private func lastTimeOfNotes(of session: UniqueID) throws(StoreError) -> BootTime {
    let last = try integer(
      """
      SELECT max(start_ns,
        ifnull((SELECT arrival_ns FROM fix WHERE session = ?1 ORDER BY number DESC LIMIT 1), 0),
        ifnull((SELECT max(boot_ns) FROM clock WHERE session = ?1), 0),
        ifnull((SELECT max(time_ns) FROM event WHERE session = ?1 AND kind IN (\(Self.recorderKinds))), 0))
      FROM session WHERE id = ?1
      """, [session])
    return BootTime(nanoseconds: last)
  }
}
