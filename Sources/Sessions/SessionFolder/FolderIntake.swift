internal import UploadProtocol
internal import LinuxSystem
public import Recording
public import Values

/// A folder for the sessions of other gateways.
///
/// A chunk is stored in a folder and read back from it:
///
///     let intake = try FolderIntake(folder: path)
///     let verdicts = try intake.store([ReceivedChunk(bytes: bytes, chunk: chunk)])
///     let stored = try FolderReader(folder: path).bytes(ofChunk: chunk.id)
public final class FolderIntake: SessionIntake, SharedIntake {
  private var writer: FolderWriter
  private var outlines = FolderOutlines()
  private var chunkFolders = ChunkFolders()
  /// Whether the outlines and the list lack chunks, or contain deleted ones.
  private var isBehind = false
  /// Subfolders found so far.
  private var found: Set<String> = []
  /// The listed data of sessions.
  private var listed: [UniqueID: Listed] = [:]
  private let layout: FolderLayout

  /// The listed data of a session, valid as long as its record is unchanged.
  private struct Listed {
    var record: FileStamp?
    var summary: RecordSummary?
    /// The chunks that the record lists.
    var chunks: [UniqueID] = []
    /// The listed chunks that are missing.
    var missing: Set<UniqueID> = []
    var fixes: FolderReader.FixCount?

    /// Number of listed chunks that exist.
    var present: Int { chunks.count - missing.count }
  }

  /// Opens the folder, which must exist: a missing stick must not be mistaken for a folder on the
  /// disk.
  public init(folder: String) throws(StoreError) {
    layout = FolderLayout(folder)
    writer = try FolderWriter(folder: folder)
    if let reader = try reader() { try catchUp(with: reader) }
  }

  /// Stores chunks, which are on the disk when the call returns.
  public func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    let reader = try reader()
    var changed: [UniqueID: IncomingSession] = [:]
    var refused: [Int: IntakeConflict] = [:]
    var parts: [ChunkBatch.Part] = []
    var noted: [Int] = []
    for (index, chunk) in chunks.enumerated() {
      // The writer decides whether an existing file is the same chunk. A replacement for a damaged
      // file must match the records' entry of the damaged one.
      if try reader?.chunk(chunk.id) == nil {
        if changed[chunk.session] == nil {
          changed[chunk.session] = try outlines.outline(of: chunk.session, in: reader)
        }
        guard var outline = changed[chunk.session] else { continue }
        refused[index] = outline.conflict(with: chunk) ?? conflict(elsewhere: chunk)
        guard refused[index] == nil else { continue }
        outline.add(chunk)
        changed[chunk.session] = outline
        noted.append(index)
      }
      parts.append(ChunkBatch.Part(id: chunk.id, bytes: chunk.bytes))
    }
    var written = try writer.store(parts).makeIterator()
    let verdicts: [IntakeVerdict] = chunks.indices.map { index in
      refused[index].map { .refused($0.description) } ?? written.next() ?? .otherContent
    }
    outlines.keep(changed)
    for index in noted where ![.stored, .held, .replaced].contains(verdicts[index]) {
      outlines.forget(chunks[index].session)
    }
    let stored = zip(chunks, verdicts).lazy.filter { $1 == .stored }.map(\.0)
    if verdicts.contains(.stored) { found.insert(layout.chunksFolder) }
    // The list may not know the session of a damaged chunk.
    if verdicts.contains(.replaced) { isBehind = true }
    outlines.note(stored)
    for chunk in stored { chunkFolders.note(chunk.id) }
    return verdicts
  }

  /// The bytes of a chunk.
  public func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try reader()?.bytes(ofChunk: id)
  }

  /// Stores the record of a session.
  public func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let id = record.session.id
    let outline = try outlines.outline(of: id, in: reader())
    if let conflict = outline.conflict(with: record) { return .refused(conflict.description) }
    let verdict = try writer.store(record)
    found.insert(layout.sessionsFolder)
    guard let reader = try reader() else { return verdict }
    outlines.forget(id)
    outlines.note(record)
    note(record, of: id, reader.stamp(ofRecord: id), in: reader)
    return verdict
  }

  public func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    try reader()?.record(of: session)
  }

  /// Stores a piece of a track.
  public func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    _ = try reader()
    let verdict = try writer.store(piece)
    found.insert(layout.sessionsFolder)
    return verdict
  }

  /// The fixes held of a piece of a track.
  public func track(
    of session: UniqueID, from first: Int
  ) throws(StoreError) -> TrackPiece? {
    try reader()?.track(of: session, from: first)
  }

  /// The sessions with any stored part. A record is read only at the start, and after another
  /// program wrote it.
  public func sessions(newest: Int) throws(StoreError) -> [HeldSession] {
    guard let reader = try reader() else { return [] }
    try catchUp(with: reader)
    var sessions: [HeldSession] = []
    let ids = Set(listed.keys).union(outlines.unlisted.keys)
    for id in ids.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
      let fixes = try reader.fixCount(of: id, since: listed[id]?.fixes)
      listed[id]?.fixes = fixes
      let known = listed[id]
      let outline = known?.summary?.outline
      sessions.append(
        HeldSession(
          id: id, chunks: (known?.present ?? 0) + (outlines.unlisted[id]?.count ?? 0),
          fixes: fixes.fixes, hasRecord: known?.record != nil,
          start: outline.flatMap { ClockTable($0.clock).utc(at: $0.session.start) },
          summary: known?.summary))
    }
    return sessions
  }

  /// Notes changes that other programs made in the folder. They may come at any time: a folder may
  /// have several writers, and people tidy up.
  private func catchUp(with reader: FolderReader) throws(StoreError) {
    if try chunkFolders.haveChanged(in: reader) { isBehind = true }
    let ids = try Set(reader.sessionIDs())
    for id in ids.union(listed.keys) {
      let former = listed[id]
      let stamp = reader.stamp(ofRecord: id)
      if former == nil || former?.record != stamp {
        note(try reader.soundRecord(of: id), of: id, stamp, in: reader)
      }
      if listed[id]?.chunks ?? [] != former?.chunks ?? [] { isBehind = true }
      if !ids.contains(id), stamp == nil { listed[id] = nil }
    }
    guard isBehind else { return }
    let held = Set(try reader.chunkIDs())
    try outlines.renew(held, listed: Set(listed.values.lazy.flatMap(\.chunks)), in: reader)
    listed = listed.mapValues { known in
      var known = known
      known.missing = Set(known.chunks).subtracting(held)
      return known
    }
    isBehind = false
  }

  private func note(
    _ record: SessionRecord?, of id: UniqueID, _ stamp: FileStamp?, in reader: FolderReader
  ) {
    let unlisted = outlines.unlisted[id] ?? []
    let chunks = record?.streams.flatMap { $0.chunks.map(\.id) } ?? []
    // Chunks that the record no longer lists are searched for again.
    if !Set(listed[id]?.chunks ?? []).isSubset(of: chunks) { isBehind = true }
    listed[id] = Listed(
      record: stamp, summary: record.map(RecordSummary.init(of:)), chunks: chunks,
      missing: Set(chunks.lazy.filter { unlisted.contains($0) || !reader.has($0) }))
  }

  /// The conflict with the record of another session that lists a chunk; `nil` if there is none.
  private func conflict(elsewhere chunk: ReceivedChunk) -> IntakeConflict? {
    guard listed[chunk.session]?.missing.contains(chunk.id) != true else { return nil }
    return listed.first { $0.key != chunk.session && $0.value.missing.contains(chunk.id) }
      .map { .otherThanListed(chunk: chunk.id, session: $0.key) }
  }

  /// A reader of the folder; `nil` until a session is stored there. Throws if sessions are gone: a
  /// folder without its disk must not be mistaken for one without sessions.
  private func reader() throws(StoreError) -> FolderReader? {
    let parts = [layout.sessionsFolder, layout.chunksFolder]
    let present = parts.filter { Folder.exists($0) }
    found.formUnion(present)
    let gone = found.subtracting(present)
    guard gone.isEmpty, !present.isEmpty || Folder.exists(layout.root) else {
      let place = present.isEmpty ? layout.root : gone.first ?? layout.root
      throw StoreError(
        .cannotOpen, "cannot read \(place): its files are gone",
        remedy: "mount their disk, or move the folder back; "
          + "if they were deleted, start the upload server again")
    }
    return present.isEmpty ? nil : FolderReader(layout)
  }
}
