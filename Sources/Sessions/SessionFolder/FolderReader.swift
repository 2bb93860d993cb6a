internal import ChunkFormat
internal import UploadProtocol
internal import LinuxSystem
public import Recording
public import Values

/// Reads a folder of sessions, even while it is being written.
public struct FolderReader: Sendable {
  private let layout: FolderLayout

  /// Opens the folder at `path`. Throws if no session was ever stored there.
  public init(folder path: String) throws(StoreError) {
    self.init(FolderLayout(path))
    guard Folder.exists(layout.sessionsFolder) || Folder.exists(layout.chunksFolder)
    else {
      throw StoreError(
        .cannotOpen, "cannot open \(layout.root): this folder contains no sessions",
        remedy: "give the folder that 'footbridge receive' or a folder destination writes into")
    }
  }

  init(_ layout: FolderLayout) {
    self.layout = layout
  }

  /// The sessions with any part other than chunks, in the order of their ids.
  public func sessionIDs() throws(StoreError) -> [UniqueID] {
    try FolderFile.names(in: layout.sessionsFolder).compactMap { UniqueID($0) }
      .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  /// The sessions with a record, in the order of their starts; undated sessions come first.
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

  /// The record of a session; `nil` if there is none. Throws `.damaged` if the file is not a valid
  /// record.
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

  /// The record of a session; `nil` if there is none, or if it is damaged.
  public func soundRecord(of id: UniqueID) throws(StoreError) -> SessionRecord? {
    do throws(StoreError) {
      return try record(of: id)
    } catch {
      guard error.kind == .damaged else { throw error }
      return nil
    }
  }

  /// Fixes of a session's track from number `first` on; `nil` if this piece is missing.
  public func track(of id: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    guard let bytes = try FolderFile.read(layout.piece(id, first: first)) else { return nil }
    do throws(JSONError) {
      let piece = try TrackPiece(decoding: bytes)
      guard piece.session == id, piece.first == first else {
        throw JSONError("first", "the file contains another piece")
      }
      return piece
    } catch {
      throw damaged(layout.piece(id, first: first), error)
    }
  }

  /// The numbers of the first fixes of the stored pieces, in order.
  public func trackPieces(of id: UniqueID) throws(StoreError) -> [Int] {
    try FolderFile.names(in: layout.trackFolder(id)).compactMap { name in
      name.hasSuffix(FolderLayout.trackEnding)
        ? Int(name.dropLast(FolderLayout.trackEnding.count)) : nil
    }.sorted()
  }

  /// Number of stored fixes. Every piece but the last is full, so only the last one is read. If it
  /// is damaged, its fixes do not count.
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

  /// A number of stored fixes, and the stamps of their files.
  struct FixCount {
    var fixes = 0
    fileprivate var folder: FileStamp?
    /// The first fix of the last piece.
    fileprivate var last: Int?
    fileprivate var piece: FileStamp?
  }

  /// The stamp of a session's record; `nil` if there is none.
  func stamp(ofRecord id: UniqueID) -> FileStamp? { FileStamp(of: layout.record(id)) }

  /// The stored chunks, in no order.
  public func chunkIDs() throws(StoreError) -> [UniqueID] {
    var ids: [UniqueID] = []
    for folder in try chunkFolders() { ids += try chunkIDs(in: folder) }
    return ids
  }

  /// The names of the folders with chunks.
  func chunkFolders() throws(StoreError) -> [String] {
    try FolderFile.names(in: layout.chunksFolder)
  }

  /// The chunks stored in one of these folders.
  func chunkIDs(in folder: String) throws(StoreError) -> [UniqueID] {
    try FolderFile.names(in: layout.chunkFolder(named: folder)).compactMap { name in
      name.hasSuffix(FolderLayout.chunkEnding)
        ? UniqueID(name.dropLast(FolderLayout.chunkEnding.count)) : nil
    }
  }

  /// The stamp of one of these folders; `nil` if it has just changed.
  func stamp(ofChunkFolder folder: String) -> FileStamp? {
    FileStamp(settled: layout.chunkFolder(named: folder))
  }

  /// Whether the file of a chunk exists; it may be damaged.
  public func has(_ id: UniqueID) -> Bool { Folder.exists(layout.chunk(id)) }

  /// A chunk without its bytes; `nil` if it is missing or damaged.
  func chunk(_ id: UniqueID) throws(StoreError) -> ReceivedChunk? {
    do throws(StoreError) {
      return try bytes(ofChunk: id).flatMap { Self.chunk(id, in: $0) }
    } catch {
      guard error.kind == .damaged else { throw error }
      return nil
    }
  }

  /// The chunk with this id in a file; `nil` if it is damaged.
  static func chunk(_ id: UniqueID, in bytes: [UInt8]) -> ReceivedChunk? {
    guard let chunk = try? Chunk(decoding: bytes.span), chunk.id == id else { return nil }
    return ReceivedChunk(bytes: [], chunk: chunk)
  }

  /// The bytes of a chunk, not checked; `nil` if it is missing.
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
