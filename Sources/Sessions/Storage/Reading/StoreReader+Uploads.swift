public import Recording
internal import SQLite
public import Values

/// Finds the chunks and records that have yet to be uploaded to each destination. The results
/// depend only on rows in the store, never on a program's memory: a chunk or record without an
/// upload row is waiting.
extension StoreReader {
  /// Returns the destinations sorted by name, except removed destinations.
  public func destinations() throws(StoreError) -> [StoredDestination] {
    return try database.storedDestinations("WHERE name IS NOT NULL ORDER BY name")
  }

  /// Returns the destination with this name, regardless of case; `nil` if there is none.
  public func destination(named name: String) throws(StoreError) -> StoredDestination? {
    return try database.destination(named: name)
  }

  /// Returns up to `limit` chunks that a destination has neither received nor refused. They are in
  /// the order in which they were stored or, with `newestFirst`, in reverse order.
  ///
  /// If `after` is the number of a chunk, the query examines only chunks stored after that chunk
  /// or, with `newestFirst`, before it. This takes time proportional to the number of returned
  /// rows. If `after` is `nil`, the query takes a few milliseconds per 10,000 chunks. `excluding`
  /// contains the numbers of chunks that are being uploaded.
  public func waitingChunks(
    for destination: StoredDestination, sessions: [UniqueID]? = nil, newestFirst: Bool = false,
    after: Int64? = nil, excluding: Set<Int64> = [], limit: Int
  ) throws(StoreError) -> [WaitingChunk] {
    try waitingChunks(
      .of(sessions), for: destination, newestFirst: newestFirst, after: after,
      excluding: excluding, limit: limit)
  }

  /// Returns the chunks to upload next. First come the chunks of sessions without a failure at the
  /// destination, then the untried chunks of the other sessions. The failed chunks come last,
  /// starting with the least recently attempted one. A failing item therefore never delays another.
  public func nextChunks(
    for destination: StoredDestination, sessions: [UniqueID]? = nil, newestFirst: Bool = false,
    excluding: Set<Int64> = [], limit: Int
  ) throws(StoreError) -> [WaitingChunk] {
    let failures = try failures(of: destination)
    var shares = [WaitingShare.of(sessions)]
    if !failures.isEmpty {
      let failing = sessions?.filter { failures[$0] != nil } ?? Array(failures.keys)
      shares = [
        WaitingShare(sessions: sessions, without: Array(failures.keys)),
        WaitingShare(sessions: failing, isTried: false),
        WaitingShare(sessions: failing, isTried: true),
      ]
    }
    var chunks: [WaitingChunk] = []
    for share in shares where chunks.count < limit {
      chunks += try waitingChunks(
        share, for: destination, newestFirst: newestFirst, after: nil, excluding: excluding,
        limit: limit - chunks.count)
    }
    for index in chunks.indices { chunks[index].failed = failures[chunks[index].session] }
    return chunks
  }

  /// Returns the sessions with a waiting chunk that failed to upload to the destination, each with
  /// the time of its last failure.
  private func failures(
    of destination: StoredDestination
  ) throws(StoreError) -> [UniqueID: UTCTime] {
    var failures: [UniqueID: UTCTime] = [:]
    try database.each(
      """
      SELECT stream.session, max(upload.utc_ns) FROM upload
        JOIN chunk ON chunk.number = upload.chunk JOIN stream ON stream.number = chunk.stream
      WHERE upload.destination = ? AND upload.state = 0 GROUP BY stream.session
      """, [destination.number]
    ) { row throws(StoreError) in failures[try row.id(0)] = row.utc(1) }
    return failures
  }

  private func waitingChunks(
    _ share: WaitingShare, for destination: StoredDestination, newestFirst: Bool, after: Int64?,
    excluding: Set<Int64>, limit: Int
  ) throws(StoreError) -> [WaitingChunk] {
    guard limit > 0, share.sessions.map({ !$0.isEmpty }) ?? true else { return [] }
    var start = after
    if start == nil {
      // Finds the first chunk through the stream index, which is small. Each table row contains a
      // whole chunk, so skipping a long series of uploaded chunks in the table would be slow.
      let end = newestFirst ? "max" : "min"
      let first = try database.first(
        "SELECT \(end)(+chunk.number) FROM chunk WHERE \(share.isWaiting)",
        share.values(destination)
      ) { row in row.optionalInteger(0) }
      guard let first else { return [] }
      start = newestFirst ? first + 1 : first - 1
    }
    var query = try database.prepare(
      """
      SELECT chunk.number, chunk.id, stream.session, stream.board, stream.signal, chunk.sequence,
        \(Schema.samples), length(chunk.bytes),
        ifnull((SELECT attempts FROM upload
          WHERE upload.chunk = chunk.number AND upload.destination = ?1), 0)
      FROM chunk NOT INDEXED CROSS JOIN stream ON stream.number = chunk.stream
      WHERE \(share.isWaiting) AND chunk.number \(newestFirst ? "<" : ">") ?
      ORDER BY \(share.order) chunk.number \(newestFirst ? "DESC" : "ASC")
      """, share.values(destination) + [start], doing: "read")
    var chunks: [WaitingChunk] = []
    while chunks.count < limit, try query.step() {
      let number = query.integer(0)
      if excluding.contains(number) { continue }
      chunks.append(
        WaitingChunk(
          number: number, id: try query.id(1), session: try query.id(2), board: query.board(3),
          signal: query.text(4), sequence: query.sequence(5), sampleCount: query.int(6),
          byteCount: query.int(7), attempts: query.int(8)))
    }
    return chunks
  }

  /// Returns the number of waiting chunks of these sessions, or of all sessions if `nil`, and their
  /// total size. Pass `nil` for a new destination, for which all chunks are waiting. The method
  /// reads an index entry for every chunk, but only the rows of waiting chunks.
  public func waitingAmount(
    for destination: StoredDestination?, sessions: [UniqueID]? = nil
  ) throws(StoreError) -> UploadCounts.Amount {
    let share = WaitingShare.of(sessions)
    return try database.first(
      """
      SELECT count(*), ifnull(sum(
        (SELECT length(bytes) FROM chunk AS row WHERE row.number = chunk.number)), 0)
      FROM chunk WHERE \(share.isWaiting)
      """, share.values(destination)
    ) { row in UploadCounts.Amount(count: row.int(0), bytes: row.amount(1)) }
      ?? UploadCounts.Amount()
  }

  /// Returns the latest time at which a destination stored an item, according to the upload rows;
  /// `nil` if it never stored one. Reads the upload row of every chunk that was uploaded.
  public func lastStored(for destination: StoredDestination) throws(StoreError) -> UTCTime? {
    try database.first(
      """
      SELECT max(utc_ns) FROM (
        SELECT utc_ns FROM upload WHERE destination = ?1 AND state = 1
        UNION ALL SELECT utc_ns FROM session_upload WHERE destination = ?1 AND state = 1)
      """, [destination.number]
    ) { row in row.optionalUTC(0) }
  }

  /// Returns the ended sessions whose chunks have all been uploaded or refused, and whose record is
  /// missing or outdated at this destination. A refused record is returned again only after it has
  /// changed.
  ///
  /// Sessions whose record failed to upload to the destination come last.
  ///
  /// A caller that finds the hash of the record unchanged must store the new revision together with
  /// the old hash.
  public func unfinishedSessions(
    for destination: StoredDestination
  ) throws(StoreError) -> [UnfinishedSession] {
    try database.rows(
      """
      SELECT id, revision, content, attempts, utc_ns FROM (
        SELECT session.id AS id, session.number AS number, \(Schema.revision) AS revision,
          session_upload.content AS content,
          iif(session_upload.state = 0, session_upload.attempts, 0) AS attempts,
          session_upload.state AS state, session_upload.revision AS noted,
          iif(session_upload.state = 0, session_upload.utc_ns, NULL) AS utc_ns
        FROM session LEFT JOIN session_upload
            ON session_upload.session = session.id AND session_upload.destination = ?1
          LEFT JOIN \(Schema.bootClocks)
        WHERE session.end_ns IS NOT NULL) AS candidate
      WHERE (state IS NULL OR state = 0 OR noted <> revision)
        AND NOT EXISTS (SELECT 1 FROM stream JOIN chunk ON chunk.stream = stream.number
          WHERE stream.session = candidate.id AND NOT EXISTS (SELECT 1 FROM upload
            WHERE upload.chunk = chunk.number AND upload.destination = ?1 AND upload.state <> 0))
      ORDER BY utc_ns, number
      """, [destination.number]
    ) { row throws(StoreError) in
      UnfinishedSession(
        id: try row.id(0), revision: row.text(1), sentContent: row.optionalBytes(2),
        attempts: row.int(3), failed: row.optionalUTC(4))
    }
  }

  public func uploadState(
    ofSession id: UniqueID, for destination: StoredDestination
  ) throws(StoreError) -> SessionUpload? {
    try database.first(
      """
      SELECT state, attempts, error, content, revision FROM session_upload
      WHERE session = ? AND destination = ?
      """, [id, destination.number]
    ) { row in
      guard let state = UploadState(rawValue: UInt8(row.integer(0))) else { return nil }
      return SessionUpload(
        state, attempts: row.int(1), error: row.text(2), content: row.optionalBytes(3),
        revision: row.text(4))
    }
  }

  /// Returns the numbers of items that a destination has received, has yet to receive, and has
  /// refused. Reads the row of every chunk.
  public func uploadCounts(for destination: StoredDestination) throws(StoreError) -> UploadCounts {
    var counts = UploadCounts()
    // The query does not use GROUP BY, because SQLite would sort the rows with all their bytes,
    // using temporary files if there are many.
    let states: [UploadState] = [.waiting, .sent, .refused]
    let sums = states.map { state in
      let isSo = "FILTER (WHERE ifnull(upload.state, 0) = \(state.rawValue))"
      return "count(*) \(isSo), ifnull(sum(length(bytes)) \(isSo), 0)"
    }
    var query = try database.prepare(
      """
      SELECT \(sums.joined(separator: ", "))
      FROM chunk LEFT JOIN upload ON upload.chunk = chunk.number AND upload.destination = ?
      """, [destination.number], doing: "read")
    if try query.step() {
      let amounts = states.indices.map { place in
        UploadCounts.Amount(
          count: query.int(Int32(2 * place)), bytes: query.amount(Int32(2 * place + 1)))
      }
      counts.waitingChunks = amounts[0]
      counts.sentChunks = amounts[1]
      counts.parkedChunks = amounts[2]
    }
    try database.each(
      """
      SELECT CASE WHEN session_upload.revision = \(Schema.revision) THEN state ELSE 0 END, count(*)
      FROM session LEFT JOIN session_upload
          ON session_upload.session = session.id AND session_upload.destination = ?
        LEFT JOIN \(Schema.bootClocks)
      WHERE session.end_ns IS NOT NULL GROUP BY 1
      """, [destination.number]
    ) { row in
      let count = row.int(1)
      switch UploadState(rawValue: UInt8(row.integer(0))) {
      case .sent: counts.sentSessions = count
      case .refused: counts.parkedSessions = count
      case .waiting, nil: counts.waitingSessions = count
      }
    }
    return counts
  }

  /// Returns the items that a destination refused, with the destination's error messages. Chunks
  /// come first, in the order in which they were stored, followed by records.
  public func parked(for destination: StoredDestination) throws(StoreError) -> [ParkedUpload] {
    let chunks = try database.rows(
      """
      SELECT chunk.id, stream.session, stream.board, stream.signal, chunk.sequence,
        upload.attempts, upload.error, upload.utc_ns
      FROM upload JOIN chunk ON chunk.number = upload.chunk JOIN stream ON stream.number = chunk.stream
      WHERE upload.destination = ? AND upload.state = 2 ORDER BY chunk.number
      """, [destination.number]
    ) { row throws(StoreError) in
      ParkedUpload(
        chunk: try row.id(0), session: try row.id(1),
        place: ParkedUpload.Place(
          board: row.board(2), signal: row.text(3), sequence: row.sequence(4)),
        attempts: row.int(5), error: row.text(6), time: row.utc(7))
    }
    let records = try database.rows(
      """
      SELECT session, attempts, error, utc_ns FROM session_upload
      WHERE destination = ? AND state = 2 ORDER BY utc_ns, session
      """, [destination.number]
    ) { row throws(StoreError) in
      ParkedUpload(
        chunk: nil, session: try row.id(0), place: nil, attempts: row.int(1), error: row.text(2),
        time: row.utc(3))
    }
    return chunks + records
  }
}

extension Schema {
  /// An SQL expression for a query on `session` that joins `bootClocks`. The value of the
  /// expression changes whenever any part of the session's record changes. An edited hazard is
  /// detected through the event that the edit adds. Clock entries of other sessions are included if
  /// the session has no trusted entries of its own.
  static let revision = """
    (session.end_ns || '/' || ifnull(session.ending, '') || '/' || session.received
      || '/' || (SELECT count(*) || '-' || ifnull(max(number), 0) FROM event
        WHERE event.session = session.id)
      || '/' || (SELECT count(*) || '-' || ifnull(max(number), 0) FROM annotation
        WHERE annotation.session = session.id)
      || '/' || (SELECT count(*) || '-' || ifnull(max(number), 0) FROM clock
        WHERE clock.session = session.id)
      || '/' || iif(EXISTS (SELECT 1 FROM clock
          WHERE clock.session = session.id AND source <> 0), '',
        ifnull(boot_clock.revision, '0-0')))
    """

  /// A summary of each boot's trusted clock entries, computed only once. Otherwise, a thousand
  /// sessions from one boot would count the same entries a thousand times.
  static let bootClocks = """
    (SELECT other.boot_id AS boot_id, count(*) || '-' || max(clock.number) AS revision
      FROM clock JOIN session AS other ON other.id = clock.session
      WHERE source <> 0 GROUP BY other.boot_id) AS boot_clock
    ON boot_clock.boot_id = session.boot_id
    """
}

extension Database {
  func destination(named name: String) throws(StoreError) -> StoredDestination? {
    try storedDestinations("WHERE name = ? COLLATE NOCASE", [name]).first
  }

  func destination(at place: String) throws(StoreError) -> StoredDestination? {
    try storedDestinations("WHERE place = ?", [place]).first
  }

  func storedDestinations(
    _ condition: String, _ values: [any SQLiteValue] = []
  ) throws(StoreError) -> [StoredDestination] {
    try rows(
      """
      SELECT number, name, place, settings, added_utc_ns, resting_until_utc_ns, failures, error
      FROM destination \(condition)
      """, values
    ) { row in
      StoredDestination(
        number: row.integer(0), name: row.optionalText(1), place: row.text(2),
        settings: row.text(3), added: row.utc(4), restingUntil: row.optionalUTC(5),
        failures: row.int(6), error: row.text(7))
    }
  }
}

/// Selects some of the chunks that are waiting to be uploaded to a destination. The destination is
/// the first parameter of the query.
private struct WaitingShare {
  /// The only sessions whose chunks are included; `nil` for all sessions.
  var sessions: [UniqueID]?
  /// The sessions whose chunks are excluded.
  var without: [UniqueID] = []
  /// Whether to select chunks with or without a failed attempt; `nil` for both.
  var isTried: Bool?

  static func of(_ sessions: [UniqueID]?) -> Self { Self(sessions: sessions) }

  /// Returns the parameters of a query that uses `isWaiting`, in the order in which the condition
  /// uses them.
  func values(_ destination: StoredDestination?) -> [any SQLiteValue] {
    [destination?.number] + (sessions ?? []) + without
  }

  /// The SQL condition that selects these chunks in a query on the table `chunk`.
  var isWaiting: String {
    """
    NOT EXISTS (SELECT 1 FROM upload WHERE upload.chunk = chunk.number
      AND upload.destination = ?1 AND upload.state <> 0)
    \(condition)
    """
  }

  /// The additional SQL conditions that restrict the waiting chunks to this selection.
  private var condition: String {
    func streams(_ word: String, _ ids: [UniqueID]) -> String {
      let places = Array(repeating: "?", count: ids.count).joined(separator: ", ")
      return "AND chunk.stream \(word) (SELECT number FROM stream WHERE session IN (\(places)))"
    }
    var parts: [String] = []
    if let sessions { parts.append(streams("IN", sessions)) }
    if !without.isEmpty { parts.append(streams("NOT IN", without)) }
    if let isTried {
      parts.append(
        """
        AND \(isTried ? "" : "NOT ")EXISTS (SELECT 1 FROM upload
          WHERE upload.chunk = chunk.number AND upload.destination = ?1)
        """)
    }
    return parts.joined(separator: "\n")
  }

  /// The SQL sort keys that precede the chunk number.
  var order: String {
    guard isTried == true else { return "" }
    return """
      (SELECT utc_ns FROM upload WHERE upload.chunk = chunk.number AND upload.destination = ?1),
      """
  }
}
