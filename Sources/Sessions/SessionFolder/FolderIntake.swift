internal import UploadProtocol
internal import LinuxSystem
public import Recording
public import Values

/// Stores the sessions of other gateways in a folder.
///
/// Storing a chunk in a folder and reading it back:
///
///     let intake = try FolderIntake(folder: path)
///     let verdicts = try intake.store([ReceivedChunk(bytes: bytes, chunk: chunk)])
///     let stored = try FolderReader(folder: path).bytes(ofChunk: chunk.id)
public final class FolderIntake: SessionIntake, SharedIntake {
  private var writer: FolderWriter
  private var outlines = FolderOutlines()
  private var chunkFolders = ChunkFolders()
  /// Whether `outlines` and `listed` are out of date, because chunks were added or deleted.
  private var isBehind = false
  /// Names of the subfolders that have been found so far.
  private var found: Set<String> = []
  private var listed: [UniqueID: Listed] = [:]
  private let layout: FolderLayout

  /// The data about a session that is needed to list it. Valid until the session's record changes.
  private struct Listed {
    var record: FileStamp?
    var summary: RecordSummary?
    /// The chunks that the record lists.
    var chunks: [UniqueID] = []
    /// The listed chunks that do not exist in the folder.
    var missing: Set<UniqueID> = []
    var fixes: FolderReader.FixCount?

    var present: Int { chunks.count - missing.count }
  }

  /// Opens the folder, which must exist: a folder on a missing USB stick must not be mistaken for a
  /// new folder on the disk.
  public init(folder: String) throws(StoreError) {
    layout = FolderLayout(folder)
    writer = try FolderWriter(folder: folder)
    if let reader = try reader() { try catchUp(with: reader) }
  }

  /// Stores chunks. Chunks with the verdict stored, held or replaced are on disk when the call
  /// returns.
  public func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    let reader = try reader()
    var changed: [UniqueID: IncomingSession] = [:]
    var refused: [Int: IntakeConflict] = [:]
    var parts: [ChunkBatch.Part] = []
    var noted: [Int] = []
    for (index, chunk) in chunks.enumerated() {
      // The writer checks whether an existing file contains the same chunk. If the file is damaged,
      // its replacement must match the record's entry for that chunk.
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
    // The list of sessions may not yet contain the session to which the damaged chunk belongs.
    if verdicts.contains(.replaced) { isBehind = true }
    outlines.note(stored)
    for chunk in stored { chunkFolders.note(chunk.id) }
    return verdicts
  }

  public func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try reader()?.bytes(ofChunk: id)
  }

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

  public func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    _ = try reader()
    let verdict = try writer.store(piece)
    found.insert(layout.sessionsFolder)
    return verdict
  }

  /// Returns the stored fixes in the track piece that begins with fix number `first`.
  public func track(
    of session: UniqueID, from first: Int
  ) throws(StoreError) -> TrackPiece? {
    try reader()?.track(of: session, from: first)
  }

  /// Returns all fully or partly stored sessions, sorted by id, regardless of `newest`. A record is
  /// read once, and read again only after another program has written it.
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

  /// Updates `outlines` and `listed` after other programs have changed the folder. Changes may
  /// happen at any time: a folder may have several writers, and people may delete files.
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
    // Chunks that the record no longer lists may still be in the folder, which must be searched for
    // them.
    if !Set(listed[id]?.chunks ?? []).isSubset(of: chunks) { isBehind = true }
    listed[id] = Listed(
      record: stamp, summary: record.map(RecordSummary.init(of:)), chunks: chunks,
      missing: Set(chunks.lazy.filter { unlisted.contains($0) || !reader.has($0) }))
  }

  /// Returns the conflict that arises if another session's record lists this chunk; `nil` if no
  /// other record lists it.
  private func conflict(elsewhere chunk: ReceivedChunk) -> IntakeConflict? {
    guard listed[chunk.session]?.missing.contains(chunk.id) != true else { return nil }
    return listed.first { $0.key != chunk.session && $0.value.missing.contains(chunk.id) }
      .map { .otherThanListed(chunk: chunk.id, session: $0.key) }
  }

  /// Returns a reader of the folder; `nil` until a session is stored there. Throws an error if
  /// sessions have disappeared: a folder whose disk is not mounted must not be mistaken for a
  /// folder without sessions.
  private func reader() throws(StoreError) -> FolderReader? {
    let parts = [layout.sessionsFolder, layout.chunksFolder]
    let present = parts.filter { Folder.exists($0) }
    found.formUnion(present)
    let gone = found.subtracting(present)
    guard gone.isEmpty, !present.isEmpty || Folder.exists(layout.root) else {
      let place = present.isEmpty ? layout.root : gone.first ?? layout.root
      throw StoreError(
        .cannotOpen, "cannot read \(place): its files are missing",
        remedy: "mount the disk, or move the folder back; "
          + "if the files were deleted, start the upload server again")
    }
    return present.isEmpty ? nil : FolderReader(layout)
  }
}
