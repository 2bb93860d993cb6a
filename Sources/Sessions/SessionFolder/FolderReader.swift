internal import ChunkFormat
internal import UploadProtocol
internal import LinuxSystem
public import Recording
public import Values

/// Reads a folder of sessions, even while it is being written.
public struct FolderReader: Sendable {
  private let layout: FolderLayout

  /// Opens the folder at `path`. Throws an error if no session was ever stored there.
  public init(folder path: String) throws(StoreError) {
    self.init(FolderLayout(path))
    guard Folder.exists(layout.sessionsFolder) || Folder.exists(layout.chunksFolder)
    else {
      throw StoreError(
        .cannotOpen, "cannot open \(layout.root): this folder contains no sessions",
        remedy: "name the folder that 'footbridge receive' or a folder destination writes to")
    }
  }

  init(_ layout: FolderLayout) {
    self.layout = layout
  }

  /// Returns the sessions with a stored record or a stored piece of the track, sorted by id.
  public func sessionIDs() throws(StoreError) -> [UniqueID] {
    try FolderFile.names(in: layout.sessionsFolder).compactMap { UniqueID($0) }
      .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  /// Returns the sessions with a record, sorted by start time; undated sessions come first.
  public func sessions() throws(StoreError) -> [Session] {
    var sessions: [(session: Session, start: Int64)] = []
    for id in try sessionIDs() {
      guard let record = try soundRecord(of: id) else { continue }
      let start = ClockTable(record.clock).utc(at: record.session.start)
      sessions.append((record.session, start?.nanoseconds ?? .min))
    }
    return sessions.sorted {
      ($0.start, $0.session.start.nanoseconds) < ($1.start, $1.session.start.nanoseconds)
    }.map(\.session)
  }

  /// Returns a session's record; `nil` if it does not exist. Throws `.damaged` if the file is not a
  /// valid record.
  public func record(of id: UniqueID) throws(StoreError) -> SessionRecord? {
    guard let bytes = try FolderFile.read(layout.record(id)) else { return nil }
    do throws(JSONError) {
      let record = try SessionRecord(decoding: bytes)
      guard record.session.id == id else {
        throw JSONError("session.id", "it is the id of another session")
      }
      return record
    } catch {
      throw damaged(layout.record(id), error)
    }
  }

  /// Returns a session's record; `nil` if it does not exist or is damaged.
  public func soundRecord(of id: UniqueID) throws(StoreError) -> SessionRecord? {
    do throws(StoreError) {
      return try record(of: id)
    } catch {
      guard error.kind == .damaged else { throw error }
      return nil
    }
  }

  /// Returns the piece of a session's track that begins with fix number `first`; `nil` if this
  /// piece is missing.
  public func track(of id: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    guard let bytes = try FolderFile.read(layout.piece(id, first: first)) else { return nil }
    do throws(JSONError) {
      let piece = try TrackPiece(decoding: bytes)
      guard piece.session == id, piece.first == first else {
        throw JSONError("first", "the file contains a different piece")
      }
      return piece
    } catch {
      throw damaged(layout.piece(id, first: first), error)
    }
  }

  /// Returns the number of the first fix of each stored piece, in order.
  public func trackPieces(of id: UniqueID) throws(StoreError) -> [Int] {
    try FolderFile.names(in: layout.trackFolder(id)).compactMap { name in
      name.hasSuffix(FolderLayout.trackEnding)
        ? Int(name.dropLast(FolderLayout.trackEnding.count)) : nil
    }.sorted()
  }

  /// Returns the number of stored fixes in a session's track. Every piece except the last is full,
  /// so only the last piece is read. If it is damaged, its fixes are not counted.
  ///
  /// - Parameter known: an earlier count, which is returned if the files are unchanged.
  func fixCount(
    of id: UniqueID, since known: FixCount? = nil
  ) throws(StoreError) -> FixCount {
    let folder = FileStamp(settled: layout.trackFolder(id))
    if let known, let folder, known.folder == folder,
      known.piece == known.last.flatMap({ FileStamp(of: layout.piece(id, first: $0)) })
    {
      return known
    }
    let pieces = try trackPieces(of: id)
    guard let last = pieces.last else { return FixCount(folder: folder) }
    let piece = FileStamp(of: layout.piece(id, first: last))
    let rest = try? track(of: id, from: last)?.fixes.count
    return FixCount(
      fixes: (pieces.count - 1) * TrackPiece.capacity + (rest ?? 0), folder: folder, last: last,
      piece: piece)
  }

  /// The number of stored fixes, with the stamps that show whether it is still valid.
  struct FixCount {
    var fixes = 0
    fileprivate var folder: FileStamp?
    /// Number of the first fix in the last piece; `nil` if there are no pieces.
    fileprivate var last: Int?
    fileprivate var piece: FileStamp?
  }

  func stamp(ofRecord id: UniqueID) -> FileStamp? { FileStamp(of: layout.record(id)) }

  /// Returns the ids of the stored chunks, in no particular order.
  public func chunkIDs() throws(StoreError) -> [UniqueID] {
    var ids: [UniqueID] = []
    for folder in try chunkFolders() { ids += try chunkIDs(in: folder) }
    return ids
  }

  /// Returns the names of the folders that contain chunks.
  func chunkFolders() throws(StoreError) -> [String] {
    try FolderFile.names(in: layout.chunksFolder)
  }

  func chunkIDs(in folder: String) throws(StoreError) -> [UniqueID] {
    try FolderFile.names(in: layout.chunkFolder(named: folder)).compactMap { name in
      name.hasSuffix(FolderLayout.chunkEnding)
        ? UniqueID(name.dropLast(FolderLayout.chunkEnding.count)) : nil
    }
  }

  /// Returns the stamp of one of the chunk folders; `nil` if the folder has changed very recently.
  func stamp(ofChunkFolder folder: String) -> FileStamp? {
    FileStamp(settled: layout.chunkFolder(named: folder))
  }

  /// Whether a chunk's file exists; the file may be damaged.
  public func has(_ id: UniqueID) -> Bool { Folder.exists(layout.chunk(id)) }

  /// Reads the fields of a chunk without keeping its bytes; `nil` if the chunk is missing or
  /// damaged.
  func chunk(_ id: UniqueID) throws(StoreError) -> ReceivedChunk? {
    do throws(StoreError) {
      return try bytes(ofChunk: id).flatMap { Self.chunk(id, in: $0) }
    } catch {
      guard error.kind == .damaged else { throw error }
      return nil
    }
  }

  /// Decodes the chunk with this id from a file's bytes; `nil` if the bytes are damaged, or belong
  /// to another chunk.
  static func chunk(_ id: UniqueID, in bytes: [UInt8]) -> ReceivedChunk? {
    guard let chunk = try? Chunk(decoding: bytes.span), chunk.id == id else { return nil }
    return ReceivedChunk(bytes: [], chunk: chunk)
  }

  /// Returns a chunk's bytes without verifying them; `nil` if it is missing.
  public func bytes(ofChunk id: UniqueID) throws(StoreError) -> [UInt8]? {
    try FolderFile.read(layout.chunk(id))
  }

  private func damaged(_ path: String, _ error: JSONError) -> StoreError {
    StoreError(
      .damaged, "cannot read \(path): \(error)",
      remedy: "move this file away, and have the gateway send the session again: "
        + "footbridge upload --again SESSION")
  }
}
