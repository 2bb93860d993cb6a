internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// A damaged chunk whose bytes are intact, but whose row describes another chunk.
private struct WrongRow {
  struct Columns {
    var id: UniqueID
    var stream: Int64
    var sequence: Int64
    var samples: Int64
    var lost: Int64
    var first: BootTime
  }

  var number: Int64
  /// The incorrect data in the row.
  var former: Columns
  /// The data according to the bytes.
  var columns: Columns
  /// Whether a destination has received the chunk described by the row.
  var isSent: Bool

  /// Whether the row's recorded uploads are uploads of the chunk with these bytes.
  ///
  /// If both the id and the position are incorrect, it is unknown which of the two chunks was sent.
  /// Sending a chunk again does no harm, but a chunk that was never sent must not count as sent.
  var keepsUploads: Bool { former.id == columns.id || former.place == columns.place }
}

private struct Place: Hashable {
  var stream: Int64
  var sequence: Int64
}

/// Repairs the rows of damaged chunks and of their streams.
extension Database {
  /// The outcome of repairing damaged chunks.
  struct Mending {
    /// The row numbers of the restored chunks. Excludes a restored chunk if its row had described
    /// another chunk, which is now lost.
    var restored: Set<Int64> = []
    /// Number of samples lost: in chunks that were set aside, and in chunks whose bytes were
    /// replaced.
    var lostSamples = 0
  }

  /// Restores the row of each damaged chunk whose bytes are intact, unless another chunk has its
  /// position. Sets the other damaged chunks aside.
  func mend(_ damage: [(number: Int64, why: String)]) throws(StoreError) -> Mending {
    var mending = Mending()
    let damage = try restoreStreams(of: damage, &mending)
    let damaged = Set(damage.map(\.number))
    var wrong: [WrongRow] = []
    var ids: Set<UniqueID> = []
    var places: Set<Place> = []
    var lost: [(number: Int64, why: String)] = []
    for (number, why) in damage {
      if why == "\(ChunkError.anotherChunk)", let row = try wrongRow(number, among: damaged),
        ids.insert(row.columns.id).inserted, places.insert(row.columns.place).inserted
      {
        wrong.append(row)
      } else {
        lost.append((number, why))
      }
    }
    for (number, why) in lost {
      try releaseID(of: number, among: wrong)
      mending.lostSamples += try setAside(number, why: why)
    }
    guard !wrong.isEmpty else { return mending }
    try transaction(doing: Self.mending) { () throws(StoreError) in
      try restore(wrong)
      for row in wrong {
        if try isLost(row) {
          mending.lostSamples += try noteLost(row)
        } else {
          mending.restored.insert(row.number)
        }
      }
    }
    return mending
  }

  /// Gives a damaged chunk a new id if its row has the id of another chunk, which is about to be
  /// restored at another position. With equal ids, a destination would consider the two the same
  /// chunk.
  private func releaseID(of number: Int64, among wrong: [WrongRow]) throws(StoreError) {
    let row = try first("SELECT id, stream, sequence FROM chunk WHERE number = ?", [number]) {
      row throws(StoreError) in
      (id: try row.id(0), place: Place(stream: row.integer(1), sequence: row.integer(2)))
    }
    guard let row, let other = wrong.first(where: { $0.columns.id == row.id }),
      other.columns.place != row.place
    else { return }
    try run(
      "UPDATE chunk SET id = ? WHERE number = ?", [UniqueID.random(), number], doing: Self.mending)
  }

  private static let mending = "restore a chunk in"

  /// Restores the row of a stream if all its chunks name another stream. Otherwise, all these
  /// chunks would be set aside. Returns the chunks that are still damaged.
  private func restoreStreams(
    of damage: [(number: Int64, why: String)], _ mending: inout Mending
  ) throws(StoreError) -> [(number: Int64, why: String)] {
    var judged: Set<Int64> = []
    var restored: Set<Int64> = []
    for (number, why) in damage where why == "\(ChunkError.anotherChunk)" {
      guard let (chunk, stream) = try intactChunk(number), !judged.contains(stream),
        try streamNumber(of: chunk) == nil, try hasBoard(of: chunk)
      else { continue }
      judged.insert(stream)
      guard try !hasChunk(ofItsOwn: stream) else { continue }
      try transaction(doing: Self.mending) { () throws(StoreError) in
        try rename(stream: stream, after: chunk, doing: Self.mending)
      }
      restored.insert(stream)
    }
    guard !restored.isEmpty else { return damage }
    var rest: [(number: Int64, why: String)] = []
    for (number, _) in damage {
      if let why = try chunkDamage(number) {
        rest.append((number, why))
      } else {
        mending.restored.insert(number)
      }
    }
    return rest
  }

  /// Replaces a stream's session, board and signal with those in one of its chunks.
  func rename(stream: Int64, after chunk: Chunk, doing: String) throws(StoreError) {
    try run(
      "UPDATE stream SET session = ?, board = ?, signal = ? WHERE number = ?",
      [chunk.session, chunk.board.address, chunk.stream.signal, stream], doing: doing)
    // The session's record may have been sent with data from the incorrect row.
    try run(
      "UPDATE session_upload SET revision = '' WHERE session = ?", [chunk.session], doing: doing)
  }

  /// Whether any chunk of a stream also names that stream.
  private func hasChunk(ofItsOwn stream: Int64) throws(StoreError) -> Bool {
    let numbers = try rows("SELECT number FROM chunk WHERE stream = ?", [stream]) { row in
      row.integer(0)
    }
    for number in numbers {
      if let chunk = try intactChunk(number)?.chunk, try streamNumber(of: chunk) == stream {
        return true
      }
    }
    return false
  }

  /// Returns a chunk, and the number of its stream according to its row; `nil` if its bytes are not
  /// intact.
  private func intactChunk(_ number: Int64) throws(StoreError) -> (chunk: Chunk, stream: Int64)? {
    do throws(StoreError) {
      return try first("SELECT bytes, stream FROM chunk WHERE number = ?", [number]) { row in
        guard let chunk = try? Chunk(decoding: row.bytes(0).span) else { return nil }
        return (chunk, row.integer(1))
      }
    } catch {
      guard error.kind == .damaged else { throw error }
      return nil
    }
  }

  /// Returns the number of the stream that a chunk names; `nil` if the stream is not registered.
  private func streamNumber(of chunk: Chunk) throws(StoreError) -> Int64? {
    try streamNumber(chunk.stream.signal, board: chunk.board.address, session: chunk.session)
  }

  private func hasBoard(of chunk: Chunk) throws(StoreError) -> Bool {
    try finds(
      "SELECT 1 FROM board WHERE session = ? AND address = ?",
      [chunk.session, chunk.board.address])
  }

  /// Returns the data needed to restore the row of a chunk; `nil` if that is impossible. The rows
  /// of all `damaged` chunks are about to change, so the positions in them are considered free.
  private func wrongRow(_ number: Int64, among damaged: Set<Int64>) throws(StoreError) -> WrongRow?
  {
    try first(
      """
      SELECT id, stream, sequence, samples, lost, first_ns, bytes,
        EXISTS (SELECT 1 FROM upload WHERE upload.chunk = chunk.number AND state = 1)
      FROM chunk WHERE number = ?
      """, [number]
    ) { row throws(StoreError) in
      let bytes = row.bytes(6)
      guard let chunk = try? Chunk(decoding: bytes.span),
        let stream = try streamNumber(of: chunk),
        try finds(Self.alikeStream, chunk.stream.form + [chunk.bootID, stream])
      else { return nil }
      let columns = WrongRow.Columns(
        id: chunk.id, stream: stream, sequence: Int64(chunk.sequence), samples: Int64(chunk.count),
        lost: Int64(clamping: chunk.lostCount), first: chunk.clock.first)
      guard try isFree(columns, among: damaged) else { return nil }
      return WrongRow(
        number: number,
        former: WrongRow.Columns(
          id: try row.id(0), stream: row.integer(1), sequence: row.integer(2),
          samples: row.integer(3), lost: row.integer(4), first: row.time(5)),
        columns: columns, isSent: row.bool(7))
    }
  }

  private func isFree(
    _ columns: WrongRow.Columns, among damaged: Set<Int64>
  ) throws(StoreError) -> Bool {
    let holders = try rows(
      "SELECT number FROM chunk WHERE id = ? OR stream = ? AND sequence = ?",
      [columns.id, columns.stream, columns.sequence]
    ) { row in row.integer(0) }
    guard damaged.isSuperset(of: holders) else { return false }
    return try !finds(
      "SELECT 1 FROM absent WHERE stream = ? AND sequence = ? AND id <> ?",
      [columns.stream, columns.sequence, columns.id])
  }

  private func restore(_ wrong: [WrongRow]) throws(StoreError) {
    // If chunks have exchanged their rows, all ids and positions must be freed before any is
    // reused.
    for row in wrong {
      try run(
        "UPDATE chunk SET id = randomblob(16), sequence = -1099511627776 - number WHERE number = ?",
        [row.number], doing: Self.mending)
    }
    for row in wrong {
      let columns = row.columns
      try run(
        """
        UPDATE chunk SET id = ?, stream = ?, sequence = ?, samples = ?, lost = ?, first_ns = ?
        WHERE number = ?
        """,
        [
          columns.id, columns.stream, columns.sequence, columns.samples, columns.lost,
          columns.first, row.number,
        ], doing: Self.mending)
      // Discard a destination's refusal, which was based on the incorrect row.
      try run(
        "DELETE FROM upload WHERE chunk = ? AND (state <> 1 OR ?)",
        [row.number, !row.keepsUploads], doing: Self.mending)
      try run("DELETE FROM absent WHERE id = ?", [columns.id], doing: Self.mending)
    }
  }

  /// Whether the row had described a chunk that is now missing, because its bytes were replaced.
  private func isLost(_ row: WrongRow) throws(StoreError) -> Bool {
    guard row.former.id != row.columns.id else { return false }
    return try !finds(
      """
      SELECT 1 FROM chunk WHERE id = ?1 OR stream = ?2 AND sequence = ?3
      UNION ALL SELECT 1 FROM absent WHERE id = ?1 OR stream = ?2 AND sequence = ?3
      UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM stream WHERE number = ?2)
      """, [row.former.id, row.former.stream, row.former.sequence])
  }

  /// Records the loss of the chunk that a row had described. Returns the chunk's sample count.
  private func noteLost(_ row: WrongRow) throws(StoreError) -> Int {
    let former = row.former
    let why = "its bytes are those of another chunk"
    try run(
      """
      INSERT INTO damaged (id, stream, sequence, samples, lost, bytes, why)
      VALUES (?, ?, ?, ?, ?, NULL, ?)
      """,
      [former.id, former.stream, former.sequence, former.samples, former.lost, why],
      doing: Self.mending)
    if row.isSent {
      try run(
        """
        INSERT OR IGNORE INTO absent (id, stream, sequence, samples, lost, first_ns, reason)
        VALUES (?, ?, ?, ?, ?, ?, \(Absence.sentToSome))
        """,
        [
          former.id, former.stream, former.sequence, former.samples, former.lost, former.first,
        ], doing: Self.mending)
    }
    return try first(
      """
      SELECT \(Schema.samples), session, board, signal FROM damaged
      JOIN stream ON stream.number = damaged.stream WHERE damaged.number = last_insert_rowid()
      """
    ) { found throws(StoreError) in
      let samples = found.int(0)
      let event = SessionEvent(
        .damaged, board: found.board(2), at: former.first, value: Double(samples),
        text: "chunk \(former.sequence) of \(found.text(3)): \(why)")
      try insert([event], session: try found.id(1))
      return samples
    } ?? 0
  }
}

extension WrongRow.Columns {
  fileprivate var place: Place { Place(stream: stream, sequence: sequence) }
}
