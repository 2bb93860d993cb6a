internal import UploadProtocol
public import Recording
public import Values

/// A folder for the sessions of other gateways.
///
/// A chunk is stored in a folder and read back from it:
///
///     let intake = try FolderIntake(folder: path)
///     let verdicts = try intake.store([ReceivedChunk(bytes: bytes, chunk: chunk)])
///     let stored = try FolderReader(folder: path).bytes(ofChunk: chunk.id)
public final class FolderIntake: SessionIntake {
  private var writer: FolderWriter
  private var outlines = FolderOutlines()
  /// What the list says of sessions.
  private var listed: [UniqueID: Listed] = [:]
  private let folder: String

  /// What the list says of a session, as long as its record is the same.
  private struct Listed {
    var record: FileStamp?
    var summary: RecordSummary?
    /// The chunks that the record lists and that are there.
    var present: Int
    /// `nil` if fixes have come since they were counted.
    var fixes: Int?
  }

  /// Opens the folder, which must exist: a missing stick must not be mistaken for a folder on the
  /// disk.
  public init(folder: String) throws(StoreError) {
    self.folder = folder
    writer = try FolderWriter(folder: folder)
    guard let reader = try? FolderReader(folder: folder) else { return }
    outlines = try FolderOutlines(reader) { (id) throws(StoreError) in
      try look(at: id, in: reader)
    }
  }

  /// Stores chunks, which are on the disk when the call returns.
  public func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    let reader = reader
    var changed: [UniqueID: IncomingSession] = [:]
    var refused: [Int: IntakeConflict] = [:]
    var parts: [ChunkBatch.Part] = []
    for (index, chunk) in chunks.enumerated() {
      // The writer decides whether an existing file is the same chunk.
      if reader?.has(chunk.id) != true {
        if changed[chunk.session] == nil {
          changed[chunk.session] = try outlines.outline(of: chunk.session, in: reader)
        }
        guard var outline = changed[chunk.session] else { continue }
        refused[index] = outline.conflict(with: chunk)
        guard refused[index] == nil else { continue }
        outline.add(chunk)
        changed[chunk.session] = outline
      }
      parts.append(ChunkBatch.Part(id: chunk.id, bytes: chunk.bytes))
    }
    var written = try writer.store(parts).makeIterator()
    let verdicts: [IntakeVerdict] = chunks.indices.map { index in
      refused[index].map { .refused($0.description) } ?? written.next() ?? .otherContent
    }
    outlines.keep(changed)
    outlines.note(zip(chunks, verdicts).lazy.filter { $1 == .stored }.map(\.0))
    return verdicts
  }

  /// The bytes of a chunk.
  public func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try reader?.bytes(ofChunk: id)
  }

  /// Stores the record of a session.
  public func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let id = record.session.id
    var outline = try outlines.outline(of: id, in: reader)
    if let conflict = outline.conflict(with: record) { return .refused(conflict.description) }
    let verdict = try writer.store(record)
    if verdict != .held, let reader { outline.add(record) { reader.has($0) } }
    outlines.keep([id: outline])
    outlines.note(record)
    if let reader { note(record, of: id, reader.stamp(ofRecord: id), in: reader) }
    return verdict
  }

  /// The record of a session.
  public func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    try reader?.record(of: session)
  }

  /// Stores a piece of a track.
  public func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    listed[piece.session]?.fixes = nil
    return try writer.store(piece)
  }

  /// The fixes held of a piece of a track.
  public func track(
    of session: UniqueID, from first: Int
  ) throws(StoreError) -> TrackPiece? {
    try reader?.track(of: session, from: first)
  }

  /// The sessions with any stored part. A record is read only at the start, and if another program
  /// wrote it.
  public func sessions(newest: Int) throws(StoreError) -> [HeldSession] {
    guard let reader else { return [] }
    var sessions: [HeldSession] = []
    let ids = try Set(reader.sessionIDs()).union(outlines.unlisted.keys)
    for id in ids.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
      if listed[id].map({ $0.record != reader.stamp(ofRecord: id) }) ?? true {
        _ = try look(at: id, in: reader)
      }
      guard let known = listed[id] else { continue }
      let fixes = if let fixes = known.fixes { fixes } else { try reader.fixCount(of: id) }
      listed[id]?.fixes = fixes
      let outline = known.summary?.outline
      sessions.append(
        HeldSession(
          id: id, chunks: known.present + (outlines.unlisted[id]?.count ?? 0), fixes: fixes,
          hasRecord: known.record != nil,
          start: outline.flatMap { ClockTable($0.clock).utc(at: $0.session.start) },
          summary: known.summary))
    }
    return sessions
  }

  /// Reads the record of a session, and notes what the list says of it. One that is damaged hides
  /// no other session.
  private func look(
    at id: UniqueID, in reader: FolderReader
  ) throws(StoreError) -> SessionRecord? {
    let stamp = reader.stamp(ofRecord: id)
    let record = try reader.soundRecord(of: id)
    note(record, of: id, stamp, in: reader)
    return record
  }

  private func note(
    _ record: SessionRecord?, of id: UniqueID, _ stamp: FileStamp?, in reader: FolderReader
  ) {
    let unlisted = outlines.unlisted[id] ?? []
    let chunks = record?.streams.lazy.flatMap(\.chunks)
    listed[id] = Listed(
      record: stamp, summary: record.map(RecordSummary.init(of:)),
      present: chunks?.count { !unlisted.contains($0.id) && reader.has($0.id) } ?? 0)
  }

  /// A reader of the folder; `nil` until a session is stored there.
  private var reader: FolderReader? { try? FolderReader(folder: folder) }
}
