public import Recording
public import Values

/// The chunks and records still to be sent, for each destination separately. Only the rows decide,
/// never a program's memory: a chunk or record without a row is waiting.
extension StoreReader {
  /// The destinations by their names, without removed ones.
  public func destinations() throws(StoreError) -> [StoredDestination] {
    return try database.storedDestinations("WHERE name IS NOT NULL ORDER BY name")
  }

  /// The destination of this name, in any case; `nil` if there is none.
  public func destination(named name: String) throws(StoreError) -> StoredDestination? {
    return try database.destination(named: name)
  }

  /// Chunks that a destination does not have and did not refuse, at most `limit`. They are in the
  /// order in which they were stored or, with `newestFirst`, in reverse.
  ///
  /// With `after`, the number of a chunk, only chunks after it in that order are examined, which
  /// takes time only for the returned rows. From the beginning it takes some milliseconds for
  /// 10,000 chunks. `excluding` are numbers of chunks under way.
  public func waitingChunks(
    for destination: StoredDestination, sessions: [UniqueID]? = nil, newestFirst: Bool = false,
    after: Int64? = nil, excluding: Set<Int64> = [], limit: Int
  ) throws(StoreError) -> [WaitingChunk] {
    try waitingChunks(
      .of(sessions), for: destination, newestFirst: newestFirst, after: after,
      excluding: excluding, limit: limit)
  }

  /// The chunks to be sent next. First come the chunks of sessions without a failure at the
  /// destination, then the untried chunks of the other sessions. Last come the failed chunks, the
  /// one tried longest ago first. So a failing item never delays another.
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

  /// The sessions with a waiting chunk that the destination failed at, and the time of the last
  /// failure.
  private func failures(
    of destination: StoredDestination
  ) throws(StoreError) -> [UniqueID: UTCTime] {
    var query = try database.prepare(
      """
      SELECT stream.session, max(upload.utc_ns) FROM upload
        JOIN chunk ON chunk.number = upload.chunk JOIN stream ON stream.number = chunk.stream
      WHERE upload.destination = ? AND upload.state = 0 GROUP BY stream.session
      """, doing: "read")
    try query.bind(destination.number)
    var failures: [UniqueID: UTCTime] = [:]
    while try query.step() {
      failures[try database.id(query.bytes(0))] = UTCTime(nanoseconds: query.integer(1))
    }
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
      var query = try database.prepare(
        "SELECT \(end)(+chunk.number) FROM chunk WHERE \(share.isWaiting)", doing: "read")
      try query.bind(share, destination)
      guard try query.step(), let first = query.optionalInteger(0) else { return [] }
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
      """, doing: "read")
    try query.bind(share, destination)
    try query.bind(start)
    var chunks: [WaitingChunk] = []
    while chunks.count < limit, try query.step() {
      let number = query.integer(0)
      if excluding.contains(number) { continue }
      chunks.append(
        WaitingChunk(
          number: number, id: try database.id(query.bytes(1)),
          session: try database.id(query.bytes(2)),
          board: BoardAddress(value: UInt64(bitPattern: query.integer(3))), signal: query.text(4),
          sequence: UInt32(truncatingIfNeeded: query.integer(5)),
          sampleCount: Int(query.integer(6)), byteCount: Int(query.integer(7)),
          attempts: Int(query.integer(8))))
    }
    return chunks
  }

  /// How much of these sessions, `nil` for all, waits for a destination; `nil` for one that has
  /// nothing yet. It reads an entry of an index for every chunk, and the rows of waiting chunks
  /// alone.
  public func waitingAmount(
    for destination: StoredDestination?, sessions: [UniqueID]? = nil
  ) throws(StoreError) -> UploadCounts.Amount {
    let share = WaitingShare.of(sessions)
    var query = try database.prepare(
      """
      SELECT count(*), ifnull(sum(
        (SELECT length(bytes) FROM chunk AS row WHERE row.number = chunk.number)), 0)
      FROM chunk WHERE \(share.isWaiting)
      """, doing: "read")
    try query.bind(share, destination)
    guard try query.step() else { return UploadCounts.Amount() }
    return UploadCounts.Amount(
      count: Int(query.integer(0)), bytes: UInt64(max(0, query.integer(1))))
  }

  /// When a destination last stored an item, by the notes; `nil` if it never did. It reads the row
  /// of every chunk that was sent.
  public func lastStored(for destination: StoredDestination) throws(StoreError) -> UTCTime? {
    var query = try database.prepare(
      """
      SELECT max(utc_ns) FROM (
        SELECT utc_ns FROM upload WHERE destination = ?1 AND state = 1
        UNION ALL SELECT utc_ns FROM session_upload WHERE destination = ?1 AND state = 1)
      """, doing: "read")
    try query.bind(destination.number)
    return try query.step() ? query.optionalInteger(0).map { UTCTime(nanoseconds: $0) } : nil
  }

  /// Ended sessions whose chunks are all sent or refused, and whose record is missing or outdated
  /// at this destination. A refused record appears again only after it has changed.
  ///
  /// Sessions whose record the destination failed at come last.
  ///
  /// A caller that finds the record's hash unchanged notes the new revision with the old hash.
  public func unfinishedSessions(
    for destination: StoredDestination
  ) throws(StoreError) -> [UnfinishedSession] {
    var query = try database.prepare(
      """
      SELECT id, revision, content, attempts, utc_ns FROM (
        SELECT session.id AS id, session.number AS number, \(Database.revision) AS revision,
          session_upload.content AS content,
          iif(session_upload.state = 0, session_upload.attempts, 0) AS attempts,
          session_upload.state AS state, session_upload.revision AS noted,
          iif(session_upload.state = 0, session_upload.utc_ns, NULL) AS utc_ns
        FROM session LEFT JOIN session_upload
            ON session_upload.session = session.id AND session_upload.destination = ?1
          LEFT JOIN \(Database.bootClocks)
        WHERE session.end_ns IS NOT NULL) AS candidate
      WHERE (state IS NULL OR state = 0 OR noted <> revision)
        AND NOT EXISTS (SELECT 1 FROM stream JOIN chunk ON chunk.stream = stream.number
          WHERE stream.session = candidate.id AND NOT EXISTS (SELECT 1 FROM upload
            WHERE upload.chunk = chunk.number AND upload.destination = ?1 AND upload.state <> 0))
      ORDER BY utc_ns, number
      """, doing: "read")
    try query.bind(destination.number)
    var sessions: [UnfinishedSession] = []
    while try query.step() {
      sessions.append(
        UnfinishedSession(
          id: try database.id(query.bytes(0)), revision: query.text(1),
          sentContent: query.isNull(2) ? nil : query.bytes(2), attempts: Int(query.integer(3)),
          failed: query.optionalInteger(4).map { UTCTime(nanoseconds: $0) }))
    }
    return sessions
  }

  /// The note on a session's record at a destination; `nil` if there is none.
  public func uploadState(
    ofSession id: UniqueID, for destination: StoredDestination
  ) throws(StoreError) -> SessionUpload? {
    var query = try database.prepare(
      """
      SELECT state, attempts, error, content, revision FROM session_upload
      WHERE session = ? AND destination = ?
      """, doing: "read")
    try query.bind(id.bytes)
    try query.bind(destination.number)
    guard try query.step(), let state = UploadState(rawValue: UInt8(query.integer(0))) else {
      return nil
    }
    return SessionUpload(
      state, attempts: Int(query.integer(1)), error: query.text(2),
      content: query.isNull(3) ? nil : query.bytes(3), revision: query.text(4))
  }

  /// How much a destination has, and how much not; it reads every chunk's row.
  public func uploadCounts(for destination: StoredDestination) throws(StoreError) -> UploadCounts {
    var counts = UploadCounts()
    // Not with GROUP BY, for which SQLite sorts the rows with all their bytes, and in files if
    // there are many.
    let states: [UploadState] = [.waiting, .sent, .refused]
    let sums = states.map { state in
      let isSo = "FILTER (WHERE ifnull(upload.state, 0) = \(state.rawValue))"
      return "count(*) \(isSo), ifnull(sum(length(bytes)) \(isSo), 0)"
    }
    var query = try database.prepare(
      """
      SELECT \(sums.joined(separator: ", "))
      FROM chunk LEFT JOIN upload ON upload.chunk = chunk.number AND upload.destination = ?
      """, doing: "read")
    try query.bind(destination.number)
    if try query.step() {
      let amounts = states.indices.map { place in
        UploadCounts.Amount(
          count: Int(query.integer(Int32(2 * place))),
          bytes: UInt64(max(0, query.integer(Int32(2 * place + 1)))))
      }
      counts.waitingChunks = amounts[0]
      counts.sentChunks = amounts[1]
      counts.parkedChunks = amounts[2]
    }
    var sessions = try database.prepare(
      """
      SELECT CASE WHEN session_upload.revision = \(Database.revision) THEN state ELSE 0 END, count(*)
      FROM session LEFT JOIN session_upload
          ON session_upload.session = session.id AND session_upload.destination = ?
        LEFT JOIN \(Database.bootClocks)
      WHERE session.end_ns IS NOT NULL GROUP BY 1
      """, doing: "read")
    try sessions.bind(destination.number)
    while try sessions.step() {
      let count = Int(sessions.integer(1))
      switch UploadState(rawValue: UInt8(sessions.integer(0))) {
      case .sent: counts.sentSessions = count
      case .refused: counts.parkedSessions = count
      case .waiting, nil: counts.waitingSessions = count
      }
    }
    return counts
  }

  /// The items that a destination refused, with its words: chunks in the order in which they were
  /// stored, then records.
  public func parked(for destination: StoredDestination) throws(StoreError) -> [ParkedUpload] {
    var query = try database.prepare(
      """
      SELECT chunk.id, stream.session, stream.board, stream.signal, chunk.sequence,
        upload.attempts, upload.error, upload.utc_ns
      FROM upload JOIN chunk ON chunk.number = upload.chunk JOIN stream ON stream.number = chunk.stream
      WHERE upload.destination = ? AND upload.state = 2 ORDER BY chunk.number
      """, doing: "read")
    try query.bind(destination.number)
    var parked: [ParkedUpload] = []
    while try query.step() {
      parked.append(
        ParkedUpload(
          chunk: try database.id(query.bytes(0)), session: try database.id(query.bytes(1)),
          place: ParkedUpload.Place(
            board: BoardAddress(value: UInt64(bitPattern: query.integer(2))),
            signal: query.text(3), sequence: UInt32(truncatingIfNeeded: query.integer(4))),
          attempts: Int(query.integer(5)), error: query.text(6),
          time: UTCTime(nanoseconds: query.integer(7))))
    }
    var sessions = try database.prepare(
      """
      SELECT session, attempts, error, utc_ns FROM session_upload
      WHERE destination = ? AND state = 2 ORDER BY utc_ns, session
      """, doing: "read")
    try sessions.bind(destination.number)
    while try sessions.step() {
      parked.append(
        ParkedUpload(
          chunk: nil, session: try database.id(sessions.bytes(0)), place: nil,
          attempts: Int(sessions.integer(1)), error: sessions.text(2),
          time: UTCTime(nanoseconds: sessions.integer(3))))
    }
    return parked
  }
}

extension Database {
  /// Within a query on `session` that joins `bootClocks`: a text that changes with every part of
  /// its record. Editing a hazard leaves an event. Other sessions' clock entries count where the
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

  func storedDestinations(_ condition: String) throws(StoreError) -> [StoredDestination] {
    try destinations(
      try prepare("\(Self.destinationColumns) \(condition)", doing: "read"))
  }

  func destination(named name: String) throws(StoreError) -> StoredDestination? {
    var query = try prepare(
      "\(Self.destinationColumns) WHERE name = ? COLLATE NOCASE", doing: "read")
    try query.bind(name)
    return try destinations(query).first
  }

  func destination(at place: String) throws(StoreError) -> StoredDestination? {
    var query = try prepare("\(Self.destinationColumns) WHERE place = ?", doing: "read")
    try query.bind(place)
    return try destinations(query).first
  }

  private static let destinationColumns = """
    SELECT number, name, place, settings, added_utc_ns, resting_until_utc_ns, failures, error
    FROM destination
    """

  private func destinations(
    _ query: consuming Statement
  ) throws(StoreError) -> [StoredDestination] {
    var rows = query
    var destinations: [StoredDestination] = []
    while try rows.step() {
      destinations.append(
        StoredDestination(
          number: rows.integer(0), name: rows.isNull(1) ? nil : rows.text(1), place: rows.text(2),
          settings: rows.text(3), added: UTCTime(nanoseconds: rows.integer(4)),
          restingUntil: rows.optionalInteger(5).map { UTCTime(nanoseconds: $0) },
          failures: Int(rows.integer(6)), error: rows.text(7)))
    }
    return destinations
  }
}

/// A part of the chunks that wait for a destination, which is the first parameter of a query.
private struct WaitingShare {
  /// Only chunks of these sessions; `nil` for all.
  var sessions: [UniqueID]?
  /// No chunks of these sessions.
  var without: [UniqueID] = []
  /// Whether the destination failed at them; `nil` for both.
  var isTried: Bool?

  /// All waiting chunks of these sessions.
  static func of(_ sessions: [UniqueID]?) -> Self { Self(sessions: sessions) }

  /// The sessions that the condition names, in its order.
  fileprivate var named: [UniqueID] { (sessions ?? []) + without }

  /// The condition of a query on `chunk` for its chunks.
  var isWaiting: String {
    """
    NOT EXISTS (SELECT 1 FROM upload WHERE upload.chunk = chunk.number
      AND upload.destination = ?1 AND upload.state <> 0)
    \(condition)
    """
  }

  /// The conditions of a query besides waiting.
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

  /// The sort keys before the chunks' numbers.
  var order: String {
    guard isTried == true else { return "" }
    return """
      (SELECT utc_ns FROM upload WHERE upload.chunk = chunk.number AND upload.destination = ?1),
      """
  }
}

extension Statement {
  /// Binds the parameters of `isWaiting`.
  fileprivate mutating func bind(
    _ share: WaitingShare, _ destination: StoredDestination?
  ) throws(StoreError) {
    try bind(destination?.number)
    for session in share.named { try bind(session.bytes) }
  }
}
