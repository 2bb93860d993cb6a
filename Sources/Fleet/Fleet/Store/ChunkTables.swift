internal import Coding
internal import Recording
internal import UploadProtocol
internal import Values

/// Stores a fleet's chunks in its database tables.
final class ChunkTables {
  private struct SessionKey: Hashable {
    var gateway: UniqueID
    var session: UniqueID
  }

  private struct StreamKey: Hashable {
    var session: SessionKey
    var board: BoardAddress
    var signal: String
  }

  /// A chunk that is about to be stored.
  private struct Candidate {
    var position: Int
    var gateway: UniqueID
    var chunk: ReceivedChunk
    var hash: [UInt8]

    /// The verdict if a chunk with this id and the hash `held` is already stored.
    func verdict(held: [UInt8]) -> IntakeVerdict { held == hash ? .held : .otherContent }

    var session: SessionKey { SessionKey(gateway: gateway, session: chunk.session) }
    var stream: StreamKey {
      StreamKey(session: session, board: chunk.board.address, signal: chunk.stream.signal)
    }
  }

  /// The data in a session's table row.
  private struct KnownSession {
    var boot: UniqueID
    var hasRecord: Bool
  }

  /// The maximum number of stream descriptions to cache. A description never changes.
  private static let mostStreams = 50_000

  private let fleet: FleetDatabase
  private var known: [StreamKey: StreamDescription] = [:]
  /// The day, according to the database's clock, for which a table of chunk bytes is known to
  /// exist.
  private var day: Int64?

  private let objects: ObjectStore?

  init(_ fleet: FleetDatabase, _ objects: ObjectStore? = nil) {
    self.fleet = fleet
    self.objects = objects
  }

  /// Stores chunks in one transaction, and returns a verdict on each, in order. If the database
  /// rejects a chunk's content, that gateway's chunks are stored one by one. Every other gateway's
  /// chunks are stored together.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    for chunk in chunks {
      guard case .gateway = chunk.sender else { throw DatabaseIntake.nobody }
    }
    do throws(PostgresError) {
      return try storeTogether(chunks)
    } catch {
      guard error.isAboutContent else { throw StoreError(error, doing: "store data in") }
      guard chunks.count > 1 else { return [.unfit("the database rejected it: \(error)")] }
    }
    let places = Dictionary(grouping: chunks.indices) { chunks[$0].sender }.values
    var verdicts = [IntakeVerdict](repeating: .held, count: chunks.count)
    for places in places.count > 1 ? Array(places) : chunks.indices.map({ [$0] }) {
      let own = try store(places.map { chunks[$0] })
      for (place, verdict) in zip(places, own) { verdicts[place] = verdict }
    }
    return verdicts
  }

  private func storeTogether(
    _ chunks: [ReceivedChunk]
  ) throws(PostgresError) -> [IntakeVerdict] {
    var candidates: [Candidate] = []
    var verdicts = [IntakeVerdict](repeating: .held, count: chunks.count)
    for (position, chunk) in chunks.enumerated() {
      guard case .gateway(let gateway) = chunk.sender else { continue }
      candidates.append(
        Candidate(
          position: position, gateway: gateway, chunk: chunk, hash: SHA256.hash(of: chunk.bytes)))
    }
    // Lock the rows in a fixed order, so that two upload servers cannot deadlock.
    candidates.sort {
      ($0.gateway.high, $0.gateway.low, $0.chunk.id.high, $0.chunk.id.low)
        < ($1.gateway.high, $1.gateway.low, $1.chunk.id.high, $1.chunk.id.low)
    }
    var described: [StreamKey: StreamDescription] = [:]
    var isDone = false
    // If storing fails, the day's table of chunk bytes may have been dropped. The next call then
    // creates it again.
    defer { if !isDone { day = nil } }
    let day = try today()
    try fleet.connection.transaction { () throws(PostgresError) in
      described = [:]
      // A chunk must not register its session if the chunk is already stored or its id is already
      // in use.
      let fresh = try self.withoutHeld(candidates, &verdicts)
      let sessions = try self.expectSessions(fresh)
      try self.expectStreams(fresh, &described)
      var sound: [Candidate] = []
      for candidate in fresh {
        let why = try self.conflict(candidate, sessions[candidate.session], described)
        if let why {
          verdicts[candidate.position] = .refused(why.description)
        } else {
          sound.append(candidate)
        }
      }
      let new = try self.insert(sound, day: day)
      for candidate in sound where new.contains(candidate.position) {
        verdicts[candidate.position] = .stored
      }
      // Another upload server stored the chunk first, or another chunk has its id or position.
      try self.judge(sound.filter { !new.contains($0.position) }, &verdicts)
    }
    isDone = true
    if known.count > Self.mostStreams { known = [:] }
    known.merge(described) { first, _ in first }
    return verdicts
  }

  // MARK: The steps of a transaction

  /// Returns the current day according to the database's clock, and creates the table for the bytes
  /// of that day's chunks.
  private func today() throws(PostgresError) -> Int64 {
    let rows = try fleet.connection.run(
      "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')::bigint")
    let today = rows.integer(0, 0) ?? 0
    guard today != day else { return today }
    do throws(PostgresError) {
      try fleet.connection.run(FleetSchema.makeBodies(of: today))
    } catch {
      // Two upload servers created the day's table at the same time.
      guard error.isMadeMeanwhile else { throw error }
    }
    day = today
    return today
  }

  /// Sets the verdict on each chunk with an id that is already stored and returns the other chunks.
  /// If stored bytes are damaged or missing, they are replaced.
  private func withoutHeld(
    _ candidates: [Candidate], _ verdicts: inout [IntakeVerdict]
  ) throws(PostgresError) -> [Candidate] {
    let rows = try fleet.connection.send(
      """
      SELECT chunk.gateway, chunk.id, chunk.hash, CASE WHEN chunk.object IS NULL THEN chunk.day END
      FROM chunk JOIN unnest($1::uuid[], $2::uuid[]) AS sent (gateway, id)
        ON sent.gateway = chunk.gateway AND sent.id = chunk.id
      """, [.ids(candidates.map(\.gateway)), .ids(candidates.map(\.chunk.id))])
    var held: [[UniqueID]: (hash: [UInt8], day: Int64?)] = [:]
    for row in 0..<rows.count {
      guard let gateway = rows.id(row, 0), let id = rows.id(row, 1) else { continue }
      held[[gateway, id]] = (rows.bytes(row, 2) ?? [], rows.integer(row, 3))
    }
    var again: [Int64: [Candidate]] = [:]
    let fresh = candidates.filter { candidate in
      guard let held = held[[candidate.gateway, candidate.chunk.id]] else { return true }
      verdicts[candidate.position] = candidate.verdict(held: held.hash)
      if let day = held.day, held.hash == candidate.hash {
        again[day, default: []].append(candidate)
      }
      return false
    }
    for (day, candidates) in again.sorted(by: { $0.key < $1.key }) {
      for position in try mend(candidates, day: day) { verdicts[position] = .replaced }
    }
    return fresh
  }

  /// Replaces stored bytes that do not match their chunk's hash. Returns the indices of the chunks
  /// whose bytes were replaced.
  private func mend(_ candidates: [Candidate], day: Int64) throws(PostgresError) -> Set<Int> {
    let rows = try fleet.connection.send(
      """
      INSERT INTO \(FleetSchema.bodies(of: day)) AS body (gateway, id, bytes)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[])
      ON CONFLICT (gateway, id) DO UPDATE SET bytes = excluded.bytes
        WHERE body.bytes <> excluded.bytes
      RETURNING gateway, id
      """,
      [
        .ids(candidates.map(\.gateway)), .ids(candidates.map(\.chunk.id)),
        .byteStrings(candidates.map(\.chunk.bytes)),
      ])
    return positions(of: candidates, in: rows)
  }

  /// Registers these chunks' sessions and returns each session's row.
  private func expectSessions(
    _ candidates: [Candidate]
  ) throws(PostgresError) -> [SessionKey: KnownSession] {
    var boots: [SessionKey: UniqueID] = [:]
    for candidate in candidates where boots[candidate.session] == nil {
      boots[candidate.session] = candidate.chunk.bootID
    }
    let sent = boots.sorted {
      ($0.key.gateway.high, $0.key.gateway.low, $0.key.session.high, $0.key.session.low)
        < ($1.key.gateway.high, $1.key.gateway.low, $1.key.session.high, $1.key.session.low)
    }
    let rows = try fleet.connection.send(
      """
      INSERT INTO session (gateway, id, boot, has_record, touched)
      SELECT gateway, id, boot, false, now()
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS sent (gateway, id, boot)
      ON CONFLICT (gateway, id) DO UPDATE
      SET touched = excluded.touched, open = true,
        boot = coalesce(session.boot, excluded.boot)
      RETURNING gateway, id, boot, has_record
      """,
      [.ids(sent.map(\.key.gateway)), .ids(sent.map(\.key.session)), .ids(sent.map(\.value))])
    var sessions: [SessionKey: KnownSession] = [:]
    for row in 0..<rows.count {
      guard let gateway = rows.id(row, 0), let id = rows.id(row, 1), let boot = rows.id(row, 2)
      else { continue }
      sessions[SessionKey(gateway: gateway, session: id)] = KnownSession(
        boot: boot, hasRecord: rows.bytes(row, 3) == [1])
    }
    return sessions
  }

  /// Registers the chunks' streams that are not cached, and reads the stored descriptions of these
  /// streams.
  private func expectStreams(
    _ candidates: [Candidate], _ described: inout [StreamKey: StreamDescription]
  ) throws(PostgresError) {
    var sent: [StreamKey: StreamDescription] = [:]
    for candidate in candidates where known[candidate.stream] == nil {
      sent[candidate.stream] = sent[candidate.stream] ?? candidate.chunk.stream
    }
    let streams = sent.map { (key: $0, description: $1) }
    guard !streams.isEmpty else { return }
    described = try Self.register(streams.map { ($0.key, $0.description) }, fleet.connection)
  }

  private static func register(
    _ streams: [(StreamKey, StreamDescription)], _ connection: PostgresConnection
  ) throws(PostgresError) -> [StreamKey: StreamDescription] {
    let streams = streams.sorted { one, other in
      let (one, other) = (one.0, other.0)
      return (one.session.session.high, one.session.session.low, one.board.value, one.signal)
        < (other.session.session.high, other.session.session.low, other.board.value, other.signal)
    }
    let keys: [PostgresValue] = [
      .ids(streams.map(\.0.session.gateway)), .ids(streams.map(\.0.session.session)),
      .integers(streams.map { Int64($0.0.board.value) }), .texts(streams.map(\.0.signal)),
    ]
    try connection.send(
      """
      INSERT INTO stream (gateway, session, board, signal, settings, range)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::float8[])
      ON CONFLICT DO NOTHING
      """,
      keys + [
        .texts(streams.map { StreamSettings.text($0.1) }), .numbers(streams.map(\.1.range)),
      ])
    let rows = try connection.send(
      """
      SELECT stream.gateway, stream.session, stream.board, stream.signal, stream.settings, stream.range
      FROM stream JOIN unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[])
        AS sent (gateway, session, board, signal) USING (gateway, session, board, signal)
      """, keys)
    var described: [StreamKey: StreamDescription] = [:]
    let sent = Dictionary(streams.map { ($0.0, $0.1) }) { first, _ in first }
    for row in 0..<rows.count {
      guard let gateway = rows.id(row, 0), let session = rows.id(row, 1),
        let board = rows.integer(row, 2), let signal = rows.text(row, 3)
      else { continue }
      let key = StreamKey(
        session: SessionKey(gateway: gateway, session: session),
        board: BoardAddress(value: UInt64(bitPattern: board)), signal: signal)
      guard var description = sent[key] else { continue }
      // If a stream's stored and received settings differ, alter the stream's description so that
      // no stream in a received chunk can match it.
      if rows.text(row, 4) != StreamSettings.text(description) { description.unit += "?" }
      description.range = rows.number(row, 5)
      described[key] = description
    }
    return described
  }

  private func conflict(
    _ candidate: Candidate, _ session: KnownSession?,
    _ described: [StreamKey: StreamDescription]
  ) throws(PostgresError) -> IntakeConflict? {
    let chunk = candidate.chunk
    if let boot = session?.boot, boot != chunk.bootID {
      return .otherBoot(session: chunk.session, held: boot, sent: chunk.bootID)
    }
    let description = known[candidate.stream] ?? described[candidate.stream]
    guard let description, description.agrees(with: chunk.stream) else {
      return .otherSettings(
        signal: chunk.stream.signal, board: chunk.board.address, session: chunk.session)
    }
    guard session?.hasRecord == true else { return nil }
    // The chunk arrived after its session's record. The record states which chunk has this sequence
    // number in the stream.
    let rows = try fleet.connection.send(
      "SELECT content FROM record WHERE gateway = $1 AND session = $2",
      [.id(candidate.gateway), .id(chunk.session)])
    guard let record = try? SessionRecord(decoding: rows.bytes(0, 0) ?? []) else {
      return nil
    }
    var outline = IncomingSession(chunk.session)
    outline.add(record) { _ in false }
    return outline.conflict(with: chunk)
  }

  /// Registers a record's session and streams, within the caller's transaction. If they conflict
  /// with the stored rows, returns the conflict.
  func conflict(
    with record: SessionRecord, of gateway: UniqueID
  ) throws(PostgresError) -> IntakeConflict? {
    let session = SessionKey(gateway: gateway, session: record.session.id)
    let rows = try fleet.connection.send(
      """
      INSERT INTO session (gateway, id, boot, has_record, touched) VALUES ($1, $2, $3, false, now())
      ON CONFLICT (gateway, id) DO UPDATE SET touched = excluded.touched, open = true,
        boot = coalesce(session.boot, excluded.boot)
      RETURNING boot
      """, [.id(gateway), .id(session.session), .id(record.session.bootID)])
    if let boot = rows.id(0, 0), boot != record.session.bootID {
      return .otherBoot(session: session.session, held: boot, sent: record.session.bootID)
    }
    let streams = record.streams.map { stream in
      let key = StreamKey(
        session: session, board: stream.board, signal: stream.description.signal)
      return (key: key, description: stream.description)
    }
    let described = try Self.register(
      streams.map { ($0.key, $0.description) }, fleet.connection)
    for stream in streams where described[stream.key]?.agrees(with: stream.description) != true {
      return .otherSettings(
        signal: stream.key.signal, board: stream.key.board, session: session.session)
    }
    let entries = record.streams.flatMap { stream in
      stream.chunks.map { (board: stream.board, signal: stream.description.signal, entry: $0) }
    }
    let taken = try fleet.connection.send(
      """
      SELECT chunk.id, told.id FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::uuid[])
        AS told (board, signal, sequence, id)
      JOIN chunk ON chunk.gateway = $1 AND chunk.session = $2 AND chunk.board = told.board
        AND chunk.signal = told.signal AND chunk.sequence = told.sequence
      WHERE chunk.id <> told.id LIMIT 1
      """,
      [
        .id(gateway), .id(session.session), .integers(entries.map { Int64($0.board.value) }),
        .texts(entries.map(\.signal)), .integers(entries.map { Int64($0.entry.sequence) }),
        .ids(entries.map(\.entry.id)),
      ])
    guard let other = taken.id(0, 0), let told = taken.id(0, 1) else { return nil }
    return .placeTaken(by: other, chunk: told, session: session.session)
  }

  /// Stores the new chunks and returns their indices.
  private func insert(
    _ candidates: [Candidate], day: Int64
  ) throws(PostgresError) -> Set<Int> {
    guard !candidates.isEmpty else { return [] }
    let rows = try fleet.connection.send(
      """
      WITH sent AS (
        SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[],
          $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bytea[], $11::bytea[])
        AS sent (gateway, id, session, board, signal, sequence, samples, lost, first_ns, hash, bytes)
      ), new AS (
        INSERT INTO chunk (gateway, id, session, board, signal, sequence, samples, lost, first_ns,
          hash, day)
        SELECT gateway, id, session, board, signal, sequence, samples, lost, first_ns, hash, $12
        FROM sent ON CONFLICT DO NOTHING RETURNING gateway, id
      ), kept AS (
        INSERT INTO \(FleetSchema.bodies(of: day)) (gateway, id, bytes)
        SELECT gateway, id, bytes FROM sent JOIN new USING (gateway, id)
        ON CONFLICT (gateway, id) DO UPDATE SET bytes = excluded.bytes
      )
      SELECT gateway, id FROM new
      """,
      [
        .ids(candidates.map(\.gateway)), .ids(candidates.map(\.chunk.id)),
        .ids(candidates.map(\.chunk.session)),
        .integers(candidates.map { Int64($0.chunk.board.address.value) }),
        .texts(candidates.map(\.chunk.stream.signal)),
        .integers(candidates.map { Int64($0.chunk.sequence) }),
        .integers(candidates.map { Int64($0.chunk.sampleCount) }),
        .integers(candidates.map { Int64(clamping: $0.chunk.lostCount) }),
        .integers(candidates.map(\.chunk.first.nanoseconds)),
        .byteStrings(candidates.map(\.hash)), .byteStrings(candidates.map(\.chunk.bytes)),
        .integer(day),
      ])
    return positions(of: candidates, in: rows)
  }

  /// Returns the indices of the chunks that are listed in `rows` by gateway and id.
  private func positions(of candidates: [Candidate], in rows: PostgresRows) -> Set<Int> {
    var positions: [[UniqueID]: Int] = [:]
    for candidate in candidates {
      positions[[candidate.gateway, candidate.chunk.id]] = candidate.position
    }
    return Set(
      (0..<rows.count).compactMap { row in
        guard let gateway = rows.id(row, 0), let id = rows.id(row, 1) else { return nil }
        return positions[[gateway, id]]
      })
  }

  /// Sets the verdict on each chunk that was not inserted. Either it is already stored, or another
  /// chunk has its id or position.
  private func judge(
    _ candidates: [Candidate], _ verdicts: inout [IntakeVerdict]
  ) throws(PostgresError) {
    for candidate in candidates {
      let chunk = candidate.chunk
      let held = try fleet.connection.send(
        "SELECT hash FROM chunk WHERE gateway = $1 AND id = $2",
        [.id(candidate.gateway), .id(chunk.id)])
      if let hash = held.bytes(0, 0) {
        verdicts[candidate.position] = candidate.verdict(held: hash)
        continue
      }
      let occupant = try fleet.connection.send(
        """
        SELECT id FROM chunk WHERE gateway = $1 AND session = $2 AND board = $3 AND signal = $4
          AND sequence = $5
        """,
        [
          .id(candidate.gateway), .id(chunk.session), .integer(Int64(chunk.board.address.value)),
          .text(chunk.stream.signal), .integer(Int64(chunk.sequence)),
        ])
      guard let other = occupant.id(0, 0) else {
        // The chunk with this sequence number was deleted in the meantime. A retry of the
        // transaction detects this.
        throw PostgresError.tryAgain
      }
      verdicts[candidate.position] = .refused(
        IntakeConflict.placeTaken(by: other, chunk: chunk.id, session: chunk.session).description)
    }
  }

  // MARK: Reading

  /// Returns `nil` if the chunk is not stored. Checks bytes from the database against the chunk's
  /// hash.
  func held(_ id: UniqueID, of gateway: UniqueID) throws(StoreError) -> FleetChunk? {
    let found: (chunk: FleetChunk, hash: [UInt8])? = try fleet.doing("read") {
      () throws(PostgresError) in
      // The chunk may be sealed between the query for its row and the query for its bytes. The
      // second pass of the loop then finds it in an object.
      for _ in 0..<2 {
        let rows = try fleet.connection.run(
          """
          SELECT chunk.day, chunk.hash, object.name, chunk.place, chunk.length
          FROM chunk LEFT JOIN object ON object.gateway = chunk.gateway
            AND object.session = chunk.session AND object.number = chunk.object
          WHERE chunk.gateway = $1 AND chunk.id = $2
          """, [.id(gateway), .id(id)])
        guard let day = rows.integer(0, 0), let hash = rows.bytes(0, 1) else { return nil }
        if let name = rows.text(0, 2), let place = rows.integer(0, 3),
          let length = rows.integer(0, 4)
        {
          return (
            .sealed(
              SealedChunk(
                id: id, object: name, range: Int(place)..<Int(place + length), hash: hash,
                objects: objects)), hash
          )
        }
        do throws(PostgresError) {
          let bodies = try fleet.connection.run(
            "SELECT bytes FROM \(FleetSchema.bodies(of: day)) WHERE gateway = $1 AND id = $2",
            [.id(gateway), .id(id)])
          if let bytes = bodies.bytes(0, 0) { return (.bytes(bytes), hash) }
        } catch {
          guard error.kind == .missing else { throw error }
        }
      }
      return nil
    }
    if case .bytes(let bytes)? = found?.chunk, SHA256.hash(of: bytes) != found?.hash {
      throw StoreError(
        .damaged, "chunk \(id) is damaged in the fleet's database",
        remedy: "restore the database from a backup, or have the gateway send the session again: "
          + "footbridge upload --again SESSION")
    }
    return found?.chunk
  }
}
