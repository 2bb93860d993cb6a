internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// Counts the samples of chunks that could not be saved. Otherwise, nothing would indicate that
/// these chunks existed.
extension SalvagedStore {
  struct Missing {
    /// Number of chunks that could not be saved and whose rows cannot be read.
    var chunks = 0
    /// Number of samples in the missing chunks, including samples that these chunks counted as
    /// lost.
    var samples: UInt64 = 0
  }

  /// Records as damaged the chunks that could not be saved. Computes their sample counts from the
  /// sample numbers in the neighbouring chunks, or from the elapsed time.
  ///
  /// - Parameter tail: the tail of the torn store, which will be recovered later.
  func countMissing(_ tail: StoreTail) throws(StoreError) -> Missing {
    var missing = Missing()
    let unsaved = index.numbers.subtracting(try database.chunkNumbers())
    var told: [Int64: Set<UInt32>] = [:]
    for number in unsaved {
      guard let place = index.places[number] else { continue }
      told[place.stream, default: []].insert(place.sequence)
    }
    for session in try database.storedSessions() {
      let isReceived = try database.isReceived(session.id) ?? false
      for stream in try database.streamRows(of: session.id) {
        let places = try places(
          of: stream, in: session, tail,
          isEndTold: isReceived || index.tellsAll(of: stream.number, unsaved: unsaved),
          told: told[stream.number] ?? [], atMost: unsaved.count)
        if !places.areTimesPossible { doubtful.insert(session.id) }
        for hole in places.holes {
          // In a received session, missing chunks may never have arrived.
          guard !isReceived || told[stream.number]?.isSuperset(of: hole.sequences) ?? false
          else { continue }
          // The end of an interrupted session is known only from its last chunks.
          if session.end == nil, places.isBehindAll(hole) { doubtful.insert(session.id) }
          try note(hole, of: stream, in: session.id)
          missing.chunks += hole.sequences.count
          missing.samples = missing.samples.addingSaturated(hole.samples)
        }
      }
    }
    return missing
  }

  /// Finds the sessions that may have lost whole streams, if the streams table could not be read
  /// completely. Streams are numbered consecutively, so a gap in the numbers reveals a loss.
  func doubtStreams() throws(StoreError) {
    var last: (number: Int64, session: UniqueID)?
    var known: Set<UniqueID> = []
    try database.each("SELECT number, session FROM stream ORDER BY number") {
      row throws(StoreError) in
      let (number, session) = (row.integer(0), try row.id(1))
      if number != (last?.number ?? 0) + 1 {
        mayMiss.insert(session)
        if let last { mayMiss.insert(last.session) }
      }
      last = (number, session)
      known.insert(session)
    }
    if let last { mayMiss.insert(last.session) }
    for session in try database.storedSessions() where !known.contains(session.id) {
      mayMiss.insert(session.id)
    }
  }

  /// Records an event in each session in which an unknown number of samples may be missing. Returns
  /// these sessions.
  func noteDoubts() throws(StoreError) -> [UniqueID] {
    let saved = Set(try database.chunkNumbers())
    let streams = try database.streamNumbers()
    // If the position and the stream of every chunk are known, all missing chunks have been
    // counted.
    let isAllKnown =
      index.areAllPlaced && index.places.values.allSatisfy { streams.contains($0.stream) }
    let isUnplaced =
      !index.areAllTold || index.numbers.contains { !saved.contains($0) && index.places[$0] == nil }
    var noted: [UniqueID] = []
    for session in try database.storedSessions() {
      let mayMiss = mayMiss.contains(session.id) || rebuilt.contains(session.id)
      // An open session seems to end with its last chunk, but more data may have followed.
      let isOpen = session.end == nil && isUnplaced
      guard doubtful.contains(session.id) || !isAllKnown && (mayMiss || isOpen) else { continue }
      noted.append(session.id)
      try database.insert(
        [
          SessionEvent(
            .damaged, at: session.end ?? session.start,
            text: "an unknown number of further samples is lost: pages cannot be read")
        ], session: session.id)
    }
    return noted
  }

  private func places(
    of stream: StreamRow, in session: Session, _ tail: StoreTail, isEndTold: Bool,
    told: Set<UInt32>, atMost limit: Int
  ) throws(StoreError) -> StreamPlaces {
    let open = tail.chunks(of: session.id).filter {
      $0.board.address == stream.board && $0.stream.signal == stream.signal
    }
    let last = try database.lastTime(of: session.id)
    let end = session.end ?? max(last, tail.lastTime(of: session.id) ?? last)
    var contents = try database.contents(ofStream: stream.number, unsaved: limit)
    for chunk in open where contents[chunk.sequence] == nil {
      contents[chunk.sequence] = StreamPlaces.Content(chunk)
    }
    // In three cases, no samples are assumed missing after the last chunk. They may be in the tail.
    // The board may have been absent, so the program that ends the session counts them. Or the
    // session is known only from its chunks, so its end is unknown.
    var isEndTold = isEndTold || !open.isEmpty || rebuilt.contains(session.id)
    if session.end == nil, !isEndTold {
      let newest = try database.newestChunks(of: session.id).first {
        $0.chunk.board.address == stream.board && $0.chunk.stream.signal == stream.signal
      }
      let events = try database.events(of: session.id)
      isEndTold = newest?.chunk.absence(events: events, until: end) != nil
    }
    var places = StreamPlaces(
      span: (session.start, end), period: stream.rate > 0 ? 1e9 / stream.rate : 0,
      isEndTold: isEndTold)
    // A position beyond this limit must come from a damaged row.
    let furthest = UInt64(contents.keys.max() ?? 0) + UInt64(limit)
    places.told = told.filter { UInt64($0) <= furthest }
    places.contents = contents
    return places
  }

  private func note(
    _ hole: StreamPlaces.Hole, of stream: StreamRow, in session: UniqueID
  ) throws(StoreError) {
    let why = "its pages cannot be read"
    for sequence in hole.sequences {
      try insertRow(
        of: LostChunk(
          id: .random(), stream: stream.number, sequence: Int64(sequence),
          samples: Int64(clamping: hole.share(of: sequence)), lost: 0,
          first: hole.start.nanoseconds, bytes: nil, why: why))
      keep(
        StoreCheck.Finding(
          session: session, board: stream.board, signal: stream.signal, sequence: Int(sequence),
          samples: Int(clamping: hole.share(of: sequence)), why: why))
    }
    let range = hole.sequences
    let name =
      range.count == 1
      ? "chunk \(range.lowerBound)" : "chunks \(range.lowerBound) to \(range.upperBound)"
    let event = SessionEvent(
      .damaged, board: stream.board, at: hole.start, value: Double(hole.samples),
      text: "\(name) of \(stream.signal): \(why)")
    try database.insert([event], session: session)
  }
}

private struct StreamRow {
  var number: Int64
  var board: BoardAddress
  var signal: String
  var rate: Double
}

extension Database {
  fileprivate func streamNumbers() throws(StoreError) -> Set<Int64> {
    Set(try rows("SELECT number FROM stream") { row in row.integer(0) })
  }

  fileprivate func streamRows(of session: UniqueID) throws(StoreError) -> [StreamRow] {
    try rows("SELECT number, board, signal, rate FROM stream WHERE session = ?", [session]) { row in
      StreamRow(
        number: row.integer(0), board: row.board(1), signal: row.text(2), rate: row.double(3))
    }
  }

  /// Returns the known contents of a stream's positions. `unsaved` is the number of chunks that do
  /// not appear in any row.
  fileprivate func contents(
    ofStream stream: Int64, unsaved: Int
  ) throws(StoreError) -> [UInt32: StreamPlaces.Content] {
    var contents: [UInt32: StreamPlaces.Content] = [:]
    try each("SELECT bytes FROM chunk WHERE stream = ?", [stream]) { row in
      guard let chunk = try? Chunk(decoding: row.bytes(0).span) else { return }
      contents[chunk.sequence] = StreamPlaces.Content(chunk)
    }
    let others = try rows(
      """
      SELECT sequence, samples + lost FROM damaged WHERE stream = ?1
      UNION ALL SELECT sequence, samples + lost FROM absent WHERE stream = ?1
      """, [stream]
    ) { row in (row.integer(0), row.amount(1)) }
    // A position beyond this limit must come from a damaged row. Without the limit, every position
    // up to it would count as a missing chunk.
    let furthest = Int64(contents.keys.max() ?? 0) + Int64(unsaved + others.count)
    for (position, amount) in others where position <= furthest {
      guard let sequence = UInt32(exactly: position), contents[sequence] == nil else { continue }
      contents[sequence] = .counted(amount, until: nil)
    }
    return contents
  }
}
