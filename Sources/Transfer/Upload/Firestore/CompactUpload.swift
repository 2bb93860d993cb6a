internal import UploadProtocol
internal import Recording
internal import Values

/// Sends a session in the compact layout: its track and record in pieces, and a head document that
/// describes the session and refers to the pieces.
struct CompactUpload {
  let access: FirestoreAccess
  let layout: FirestoreLayout

  /// The maximum size, in bytes, of a piece of a record. It is far below Firestore's limit for a
  /// document.
  static let pieceSize = 512 * 1_024
  /// The maximum number of pieces per commit. A request can be at most 10 MiB, and encoding
  /// enlarges the bytes by a third.
  private static let piecesPerCommit = 4

  /// Sends a session. Returns `nil` if it was sent, or the reason the database would reject it.
  func send(_ record: SessionRecord, _ session: any OutgoingSession) async throws -> String? {
    let id = record.session.id
    let content = record.encoded
    let checksum = ChunkDocument.checksum(content)
    let pieces = stride(from: 0, to: content.count, by: Self.pieceSize).enumerated().map {
      number, start in
      FirestoreDocument(
        path: Self.piece(number, of: checksum, in: layout.session(id)),
        fields: [
          FirestoreField("user_id", .string(layout.user)),
          FirestoreField(
            "content", .bytes(Array(content[start..<min(start + Self.pieceSize, content.count)]))),
        ])
    }
    let head = head(record, checksum: checksum, pieces: pieces.count)
    if let obstacle = head.obstacle { return obstacle }
    let old = try await claim(head)
    let known = old?.fields["record_checksum"]?.text
    // The head is written last, so if it exists, every document that it refers to exists too.
    if known == checksum { return nil }
    if let words = try await sendTrack(of: record, session) { return words }
    // Each version of the record uses different document names, so the commit that writes the head
    // replaces the whole record atomically.
    var rest = pieces[...]
    while rest.count >= Self.piecesPerCommit {
      try await access.commit(
        rest.prefix(Self.piecesPerCommit).map { FirestoreWrite(.replace($0)) })
      rest = rest.dropFirst(Self.piecesPerCommit)
    }
    try await access.commit(
      rest.map { FirestoreWrite(.replace($0)) } + [FirestoreWrite(.replace(head))])
    if let known, let old { try await removePieces(of: known, old, in: head.path) }
    return nil
  }

  /// Creates the session's document as this user's document, before any pieces are written under
  /// it. The rules allow pieces only under a document of the same user. Readers ignore the document
  /// until it refers to pieces.
  ///
  /// Returns the session's document as it was before this call, or `nil` if it did not exist.
  private func claim(_ head: FirestoreDocument) async throws(FirestoreFailure)
    -> FirestoreDocument?
  {
    let names = ["user_id", "session_id"]
    let claim = FirestoreDocument(
      path: head.path, fields: head.fields.filter { names.contains($0.name) })
    do throws(FirestoreFailure) {
      try await access.commit([FirestoreWrite(.create(claim))])
      return nil
    } catch {
      guard error == .exists || error.isForbidden else { throw error }
      do throws(FirestoreFailure) {
        return try await access.read(
          head.path, fields: ["session_id", "record_checksum", "record_pieces"])
      } catch let reading {
        if case .setback = reading { throw reading }
        throw error
      }
    }
  }

  static func piece(_ number: Int, of checksum: String, in session: [String]) -> [String] {
    session + ["record", "\(checksum.prefix(16))-\(number)"]
  }

  /// Returns the path of the track piece that starts with fix number `first`.
  static func track(_ first: Int, in session: [String]) -> [String] {
    session + ["track", "\(first)"]
  }

  /// Removes an earlier record's pieces, to which the session's document no longer refers. If a
  /// piece cannot be removed, it does no harm.
  private func removePieces(
    of checksum: String, _ old: FirestoreDocument, in session: [String]
  ) async throws(FirestoreFailure) {
    let count = Int(old.fields["record_pieces"]?.integer ?? 0)
    guard (1...1_000).contains(count) else { return }
    do throws(FirestoreFailure) {
      try await access.commit(
        (0..<count).map { FirestoreWrite(.delete(path: Self.piece($0, of: checksum, in: session))) }
      )
    } catch {
      if case .setback = error { throw error }
    }
  }

  private func sendTrack(
    of record: SessionRecord, _ session: any OutgoingSession
  ) async throws -> String? {
    var track = TrackPieces(of: session, record)
    while let piece = try await track.next() {
      let content = piece.encoded
      let document = FirestoreDocument(
        path: Self.track(piece.first, in: layout.session(record.session.id)),
        fields: [
          FirestoreField("user_id", .string(layout.user)),
          FirestoreField("fix_count", .integer(Int64(piece.fixes.count))),
          FirestoreField("checksum", .string(ChunkDocument.checksum(content))),
          FirestoreField("content", .bytes(content)),
        ])
      if let obstacle = document.obstacle { return obstacle }
      // Sending the same content again does not change the document.
      try await access.commit([FirestoreWrite(.replace(document))])
    }
    return nil
  }

  /// Returns the document that describes the session. The document is used to list the session and
  /// to read it back. The clock table, which the record also contains, is omitted if it would make
  /// the document too large.
  private func head(_ record: SessionRecord, checksum: String, pieces: Int) -> FirestoreDocument {
    let session = record.session
    let clock = ClockTable(record.clock)
    let chunks = record.streams.flatMap(\.chunks)
    var fields = [
      FirestoreField("user_id", .string(layout.user)),
      FirestoreField("session_id", .string(FirestoreLayout.text(session.id))),
      FirestoreField("gateway", .string(session.gateway)),
      FirestoreField("wearer", .string(session.wearer)),
      FirestoreField("note", .string(session.note)),
      FirestoreField("boot_id", .string(FirestoreLayout.text(session.bootID))),
      FirestoreField("start_ns", .integer(session.start.nanoseconds)),
      FirestoreField("boards", .array(boards(record))),
      FirestoreField("hazards", .map(ResearchersRecord.hazards(record.hazards))),
      FirestoreField("chunk_count", .integer(Int64(chunks.count))),
      FirestoreField("point_count", .integer(chunks.reduce(0) { $0 + Int64($1.sampleCount) })),
      FirestoreField("fix_count", .integer(Int64(record.fixCount))),
      FirestoreField("record_checksum", .string(checksum)),
      FirestoreField("record_pieces", .integer(Int64(pieces))),
    ]
    fields += ResearchersRecord.participant(session) + ResearchersRecord.reports(record.events)
    if let end = session.end { fields.append(FirestoreField("end_ns", .integer(end.nanoseconds))) }
    if let time = clock.utc(at: session.start) {
      fields.append(FirestoreField("start_time", .double(ResearchersRecord.seconds(time))))
    }
    if let time = session.end.flatMap({ clock.utc(at: $0) }) {
      fields.append(FirestoreField("timestamp", .double(ResearchersRecord.seconds(time))))
    }
    let document = FirestoreDocument(path: layout.session(session.id), fields: fields)
    let whole = FirestoreDocument(
      path: document.path, fields: fields + [FirestoreField("clock", .array(Self.clock(record)))])
    return whole.obstacle == nil ? whole : document
  }

  private func boards(_ record: SessionRecord) -> [FirestoreValue] {
    record.boards.map { board in
      .map([
        FirestoreField("address", .string(board.address.description)),
        FirestoreField("name", .string(board.name)),
        FirestoreField("model", .string(board.model)),
        FirestoreField("firmware", .string(board.firmware)),
        FirestoreField("placement", .string(record.placements[board.address] ?? "")),
      ])
    }
  }

  private static func clock(_ record: SessionRecord) -> [FirestoreValue] {
    record.clock.map { entry in
      .map([
        FirestoreField("boot_ns", .integer(entry.boot.nanoseconds)),
        FirestoreField("time_ns", .integer(entry.utc.nanoseconds)),
        FirestoreField("source", .string(entry.source.name)),
      ])
    }
  }
}
