public import Recording
internal import SQLite
public import Values

/// Reads the notes that users and the recorder made about a session.
extension StoreReader {
  /// Returns a session's hazards in chronological order. Their names may be standard or custom.
  ///
  /// A hazard reported during the recording may be later than the stored fixes and clock entries.
  /// The hazard's position is then taken from the tail. If its universal time was unknown, the time
  /// is computed once a clock entry that dates the session is stored.
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
    // Read the tail before the store's fixes. Otherwise, fixes that a recorder moves to the store
    // in the meantime would be missed.
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

  /// Maximum number of seconds from the start to the first fix. A receiver may need this long after
  /// a cold start, while the user waits.
  private static let secondsToFirstFix = 120.0

  /// Returns the fix from which a hazard gets its position. For a hazard known before the start,
  /// this is the first fix of the session. A late first fix may be anywhere on the route, so it is
  /// not used.
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

  /// Returns an open session's fixes in the tail; an empty array if the session has ended.
  private func tail(of session: UniqueID) throws(StoreError) -> [Fix] {
    guard try self.session(session)?.end == nil else { return [] }
    return try StoreTail(store: database.path).fixes(of: session)
  }

  /// Returns the position for a note at this time, from a fix in the store or in the tail; `nil` if
  /// no fix is recent enough.
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

  /// Returns a session's annotations in chronological order.
  public func annotations(of session: UniqueID) throws(StoreError) -> [Annotation] {
    try database.rows(
      "SELECT time_ns, text FROM annotation WHERE session = ? ORDER BY time_ns, number", [session]
    ) { row in Annotation(time: row.time(0), text: row.text(1)) }
  }

  /// Returns a session's events in the order in which they were stored. Events of an unknown kind,
  /// from later versions, are skipped.
  public func events(of session: UniqueID) throws(StoreError) -> [SessionEvent] {
    try database.events(of: session)
  }

  /// Returns the placement of each board in a session, as it was when the session began or as later
  /// edited. Boards without a placement are omitted.
  public func placements(of session: UniqueID) throws(StoreError) -> [BoardAddress: String] {
    var placements: [BoardAddress: String] = [:]
    try database.each(
      "SELECT address, placement FROM board WHERE session = ? AND placement <> ''", [session]
    ) { row in placements[row.board(0)] = row.text(1) }
    return placements
  }

  /// Whether a session came from another gateway. The next record from that gateway replaces the
  /// stored record.
  public func isReceived(_ session: UniqueID) throws(StoreError) -> Bool {
    try database.isReceived(session) ?? false
  }

  /// Returns the number of a session's damaged chunks that were set aside, and the number of
  /// samples in them.
  public func damage(of session: UniqueID) throws(StoreError) -> (chunks: Int, samples: Int) {
    try database.first(
      """
      SELECT count(*), ifnull(sum(\(Schema.samples)), 0) FROM damaged
      WHERE stream IN (SELECT number FROM stream WHERE session = ?)
      """, [session]
    ) { row in (row.int(0), row.int(1)) } ?? (0, 0)
  }

  /// Returns the sequence number of a stream's newest known chunk; `nil` if none is known. Known
  /// chunks include chunks that were set aside, were deleted to free space, or have not been
  /// received.
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

  /// Returns the latest time in a session for which data is stored.
  public func lastTime(of session: UniqueID) throws(StoreError) -> BootTime {
    try database.lastTime(of: session)
  }

  /// Returns the last fix of a session that had arrived by this time, no matter how old the fix is.
  public func fix(of session: UniqueID, at time: BootTime) throws(StoreError) -> Fix? {
    try database.first(
      """
      SELECT number FROM fix WHERE session = ? AND arrival_ns <= ? ORDER BY number DESC LIMIT 1
      """, [session, time]
    ) { row throws(StoreError) in try fixes(of: session, from: row.int(0), limit: 1).first }
  }
}
