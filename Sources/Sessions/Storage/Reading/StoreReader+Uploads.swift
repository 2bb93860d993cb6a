public import Recording
internal import SQLite
public import Values

/// The chunks and records still to be sent, for each destination. Only the rows count, never a
/// program's memory: a chunk or record without a row is waiting.
extension StoreReader {
  /// The destinations by name, without removed ones.
  public func destinations() throws(StoreError) -> [StoredDestination] {
    return try database.storedDestinations("WHERE name IS NOT NULL ORDER BY name")
  }

  /// The destination of this name, ignoring case; `nil` if there is none.
  public func destination(named name: String) throws(StoreError) -> StoredDestination? {
    return try database.destination(named: name)
  }

  /// Chunks that a destination neither has nor refused, at most `limit`. They are in the order in
  /// which they were stored or, with `newestFirst`, in reverse.
  ///
  /// With `after`, the number of a chunk, only chunks after it in that order are examined, which
  /// takes time only for the returned rows. From the beginning it takes some milliseconds for
  /// 10,000 chunks. `excluding` are numbers of chunks that are being sent.
  public func waitingChunks(
    for destination: StoredDestination, sessions: [UniqueID]? = nil, newestFirst: Bool = false,
    after: Int64? = nil, excluding: Set<Int64> = [], limit: Int
  ) throws(StoreError) -> [WaitingChunk] {
    try waitingChunks(
      .of(sessions), for: destination, newestFirst: newestFirst, after: after,
      excluding: excluding, limit: limit)
  }

  /// The chunks to be sent next. The chunks of sessions without a failure at the destination come
  /// first, then the untried chunks of the other sessions. The failed chunks come last, the one
  /// tried longest ago first. So a failing item never delays another.
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

  /// The sessions with a waiting chunk that failed at the destination, and the time of the last
  /// failure.
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
      // Finds the first one by the index of streams, which is small: in the table, the next row is
      // a chunk's length away. A long sent backlog is skipped here.
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

  /// The waiting chunks of these sessions, `nil` for all, and their bytes, for a destination; `nil`
  /// for a new destination. It reads an index entry for every chunk, and rows of waiting chunks
  /// only.
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

  /// Time at which a destination last stored an item, by the notes; `nil` if it never did. It reads
  /// the row of every chunk that was sent.
  public func lastStored(for destination: StoredDestination) throws(StoreError) -> UTCTime? {
    try database.first(
      """
      SELECT max(utc_ns) FROM (
        SELECT utc_ns FROM upload WHERE destination = ?1 AND state = 1
        UNION ALL SELECT utc_ns FROM session_upload WHERE destination = ?1 AND state = 1)
      """, [destination.number]
    ) { row in row.optionalUTC(0) }
  }

  /// Ended sessions whose chunks are all sent or refused, and whose record is missing or outdated
  /// at this destination. A refused record appears again only after it has changed.
  ///
  /// Sessions whose record failed at the destination come last.
  ///
  /// A caller that finds the record's hash unchanged notes the new revision with the old hash.
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

  /// The note on a session's record at a destination; `nil` if there is none.
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

  /// The items that a destination has, lacks and refused; it reads every chunk's row.
  public func uploadCounts(for destination: StoredDestination) throws(StoreError) -> UploadCounts {
    var counts = UploadCounts()
    // Not with GROUP BY, for which SQLite sorts the rows with all their bytes, in temporary files
    // if there are many.
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

  /// The items that a destination refused, with its error texts: chunks in the order in which they
  /// were stored, then records.
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
  /// For a query on `session` that joins `bootClocks`: a text that changes with every part of the
  /// session's record. Editing a hazard adds an event. Other sessions' clock entries count if the
  /// session has no trusted ones of its own.
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

  /// A summary of the trusted clock entries of each boot, computed once: a thousand sessions of one
  /// boot would otherwise count the same entries a thousand times.
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

/// A selection of the chunks that wait for a destination, which is the first parameter of a query.
private struct WaitingShare {
  /// Only chunks of these sessions; `nil` for all.
  var sessions: [UniqueID]?
  /// Excludes chunks of these sessions.
  var without: [UniqueID] = []
  /// Whether an attempt failed; `nil` for both.
  var isTried: Bool?

  /// All waiting chunks of these sessions.
  static func of(_ sessions: [UniqueID]?) -> Self { Self(sessions: sessions) }

  /// The values of a query with `isWaiting`, with the sessions in the order of the condition.
  func values(_ destination: StoredDestination?) -> [any SQLiteValue] {
    [destination?.number] + (sessions ?? []) + without
  }

  /// The condition that selects its chunks in a query on `chunk`.
  var isWaiting: String {
    """
    NOT EXISTS (SELECT 1 FROM upload WHERE upload.chunk = chunk.number
      AND upload.destination = ?1 AND upload.state <> 0)
    \(condition)
    """
  }

  /// The conditions other than waiting.
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

  /// The sort keys that precede the chunks' numbers.
  var order: String {
    guard isTried == true else { return "" }
    return """
      (SELECT utc_ns FROM upload WHERE upload.chunk = chunk.number AND upload.destination = ?1),
      """
  }
}
