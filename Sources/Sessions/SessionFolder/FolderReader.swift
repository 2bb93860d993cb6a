internal import UploadProtocol
internal import LinuxSystem
public import Recording
public import Values

/// Reads a folder of sessions, also while it is being written.
public struct FolderReader: Sendable {
  private let layout: FolderLayout

  /// Opens the folder at `path`. Throws if no session was ever stored there.
  public init(folder path: String) throws(StoreError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.init(FolderLayout(root: path))
    guard Folder.exists(layout.sessionsFolder) || Folder.exists(layout.chunksFolder)
    else {
      throw StoreError(
        .cannotOpen, "cannot open \(path): there are no sessions in this folder",
        remedy: "give the folder that 'footbridge receive' or a folder destination writes into")
    }
  }

  init(_ layout: FolderLayout) {
    self.layout = layout
  }

  /// The sessions with any part but chunks, in the order of their ids.
  public func sessionIDs() throws(StoreError) -> [UniqueID] {
    try FolderFile.names(in: layout.sessionsFolder).compactMap { UniqueID($0) }
      .sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  /// The sessions with a record, in the order of their starts; sessions without a date come first.
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

  /// The record of a session; `nil` if there is none. Throws `.damaged` if the file is no valid
  /// record.
  public func record(of id: UniqueID) throws(StoreError) -> SessionRecord? {
    guard let bytes = try FolderFile.read(layout.record(id)) else { return nil }
    do throws(JSONError) {
      let record = try SessionRecord(decoding: bytes)
      guard record.session.id == id else {
        throw JSONError("session.id", "it is that of another session")
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
        throw JSONError("first", "it is another piece")
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

  /// Number of stored fixes. Every piece but the last is full, so that only the last is read. If
  /// that is damaged, it counts for none.
  func fixCount(of id: UniqueID) throws(StoreError) -> Int {
    let pieces = try trackPieces(of: id)
    guard let last = pieces.last else { return 0 }
    let rest = try? track(of: id, from: last)?.fixes.count
    return (pieces.count - 1) * TrackPiece.capacity + (rest ?? 0)
  }

  /// What changes with the record of a session; `nil` if there is none.
  func stamp(ofRecord id: UniqueID) -> FileStamp? { FileStamp(of: layout.record(id)) }

  /// The stored chunks, in no order.
  public func chunkIDs() throws(StoreError) -> [UniqueID] {
    var ids: [UniqueID] = []
    for folder in try FolderFile.names(in: layout.chunksFolder) {
      for name in try FolderFile.names(in: layout.chunksFolder + "/" + folder)
      where name.hasSuffix(FolderLayout.chunkEnding) {
        if let id = UniqueID(name.dropLast(FolderLayout.chunkEnding.count)) { ids.append(id) }
      }
    }
    return ids
  }

  /// Whether the file of a chunk exists; it may be damaged.
  public func has(_ id: UniqueID) -> Bool { Folder.exists(layout.chunk(id)) }

  /// The bytes of a chunk, not checked; `nil` if it is missing.
  public func bytes(ofChunk id: UniqueID) throws(StoreError) -> [UInt8]? {
    try FolderFile.read(layout.chunk(id))
  }

  private func damaged(_ path: String, _ error: JSONError) -> StoreError {
    StoreError(
      .damaged, "cannot read \(path): \(error)",
      remedy: "have the gateway send the session again, and move this file away before")
  }
}
