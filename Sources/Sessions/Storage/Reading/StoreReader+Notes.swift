public import Recording
internal import SQLite
public import Values

/// Notes of people and of the recorder on a session.
extension StoreReader {
  /// The hazards of a session in order of time, usual ones and others.
  ///
  /// A hazard reported during the recording may be ahead of the stored fixes and clock entries. Its
  /// position is then taken from the tail, and its universal time added as soon as the entry is
  /// stored.
  public func hazards(of session: UniqueID) throws(StoreError) -> [Hazard] {
    var hazards: [Hazard] = []
    try database.each(
      """
      SELECT name, intensity, time_ns, utc_ns, latitude, longitude FROM hazard
      WHERE session = ? ORDER BY time_ns, name
      """, [session]
    ) { row in
      let position: GeoPosition? =
        if let latitude = row.optionalDouble(4), let longitude = row.optionalDouble(5) {
          GeoPosition(latitude: latitude, longitude: longitude)
        } else {
          nil
        }
      hazards.append(
        Hazard(
          name: row.text(0), intensity: row.int(1), time: row.time(2), utc: row.optionalUTC(3),
          position: position))
    }
    guard hazards.contains(where: { $0.utc == nil || $0.position == nil }) else { return hazards }
    let clock = try clock(of: session)
    let start = try database.storedSession(session)?.start
    // Read before the store's fixes: fixes that a recorder moves meanwhile are then in both.
    let tail = try tail(of: session)
    for index in hazards.indices {
      let time = hazards[index].time
      if hazards[index].utc == nil { hazards[index].utc = clock.utc(at: time) }
      guard hazards[index].position == nil,
        let fix = try fix(of: session, ofHazardAt: time, isAtStart: time == start, tail)
      else { continue }
      hazards[index].position = GeoPosition(latitude: fix.latitude, longitude: fix.longitude)
    }
    return hazards
  }

  /// Seconds within which a receiver gets its first fix: a cold start, while its user waits.
  private static let secondsToFirstFix = 120.0

  /// The fix at a hazard. A hazard known before the start gets the position of the first fix,
  /// unless that fix came so late that it may be anywhere on the route.
  private func fix(
    of session: UniqueID, ofHazardAt time: BootTime, isAtStart: Bool, _ tail: [Fix]
  ) throws(StoreError) -> Fix? {
    if let fix = try fix(of: session, at: time, tail) {
      return time.seconds(since: fix.arrival) <= FixTrack.defaultMaximumAge ? fix : nil
    }
    guard isAtStart, let fix = try fixes(of: session, from: 0, limit: 1).first ?? tail.first
    else { return nil }
    return fix.arrival.seconds(since: time) <= Self.secondsToFirstFix ? fix : nil
  }

  /// The fixes of an open session in the tail.
  private func tail(of session: UniqueID) throws(StoreError) -> [Fix] {
    guard try self.session(session)?.end == nil else { return [] }
    return try StoreTail(store: database.path).fixes(of: session)
  }

  /// The position for a note at `time`, by a fix of the store or of the tail; `nil` without a
  /// recent one.
  public func place(in session: UniqueID, at time: BootTime) throws(StoreError) -> GeoPosition? {
    let tail = try tail(of: session)
    guard let fix = try fix(of: session, ofHazardAt: time, isAtStart: false, tail) else {
      return nil
    }
    return GeoPosition(latitude: fix.latitude, longitude: fix.longitude)
  }

  private func fix(
    of session: UniqueID, at time: BootTime, _ tail: [Fix]
  ) throws(StoreError) -> Fix? {
    let stored = try fix(of: session, at: time)
    guard let fix = tail.last(where: { $0.arrival <= time }) else { return stored }
    return stored.map { $0.arrival >= fix.arrival } ?? false ? stored : fix
  }

  /// The annotations of a session by their instants.
  public func annotations(of session: UniqueID) throws(StoreError) -> [Annotation] {
    try database.rows(
      "SELECT time_ns, text FROM annotation WHERE session = ? ORDER BY time_ns, number", [session]
    ) { row in Annotation(time: row.time(0), text: row.text(1)) }
  }

  /// The events of a session in the order in which they were stored. Events of an unknown kind,
  /// from later versions, are left out.
  public func events(of session: UniqueID) throws(StoreError) -> [SessionEvent] {
    try database.rows(
      """
      SELECT kind, board, time_ns, utc_ns, value, text FROM event
      WHERE session = ? ORDER BY number
      """, [session]
    ) { row in
      guard let kind = SessionEvent.Kind(rawValue: row.text(0)) else { return nil }
      return SessionEvent(
        kind, board: row.optionalBoard(1), at: row.time(2), utc: row.optionalUTC(3),
        value: row.optionalDouble(4), text: row.text(5))
    }
  }

  /// The placement of each board of a session, as known when the session began, or as edited later.
  /// Boards without a placement are absent.
  public func placements(of session: UniqueID) throws(StoreError) -> [BoardAddress: String] {
    var placements: [BoardAddress: String] = [:]
    try database.each(
      "SELECT address, placement FROM board WHERE session = ? AND placement <> ''", [session]
    ) { row in placements[row.board(0)] = row.text(1) }
    return placements
  }

  /// Whether a session came from another gateway, whose next record of it replaces this one.
  public func isReceived(_ session: UniqueID) throws(StoreError) -> Bool {
    try database.isReceived(session) ?? false
  }

  /// Number of damaged chunks of a session that were set aside, and of their samples.
  public func damage(of session: UniqueID) throws(StoreError) -> (chunks: Int, samples: Int) {
    try database.first(
      """
      SELECT count(*), ifnull(sum(\(Schema.samples)), 0) FROM damaged
      WHERE stream IN (SELECT number FROM stream WHERE session = ?)
      """, [session]
    ) { row in (row.int(0), row.int(1)) } ?? (0, 0)
  }

  /// The sequence of the newest known chunk of a stream, even if the chunk was set aside, was
  /// deleted to make room, or was not received; `nil` if none is known.
  public func lastSequence(of stream: StoredStream) throws(StoreError) -> UInt32? {
    try database.first(
      """
      SELECT max(sequence) FROM (
        SELECT max(sequence) AS sequence FROM chunk WHERE stream = ?1
        UNION ALL SELECT max(sequence) FROM damaged WHERE stream = ?1
        UNION ALL SELECT max(sequence) FROM absent WHERE stream = ?1
        UNION ALL SELECT last_sequence FROM stream WHERE number = ?1)
      """, [stream.number]
    ) { row in row.optionalSequence(0) }
  }

  /// The last instant of a session with stored data.
  public func lastTime(of session: UniqueID) throws(StoreError) -> BootTime {
    try database.lastTime(of: session)
  }

  /// The last fix of a session that had arrived at `time`, however old.
  public func fix(of session: UniqueID, at time: BootTime) throws(StoreError) -> Fix? {
    try database.first(
      """
      SELECT number FROM fix WHERE session = ? AND arrival_ns <= ? ORDER BY number DESC LIMIT 1
      """, [session, time]
    ) { row throws(StoreError) in try fixes(of: session, from: row.int(0), limit: 1).first }
  }
}
