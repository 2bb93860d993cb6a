internal import ChunkFormat
internal import Glibc
public import UploadProtocol
internal import LinuxSystem
public import Recording
internal import Values

/// A folder for sessions: on a stick, a network share, or the disk of a laboratory.
///
/// An item reported as stored, held or replaced is on the disk when the call returns, and was read
/// back. A call that throws may have stored a part of its items; repeating the call continues from
/// there. Several writers, also on several computers, may share a folder. One thread uses a writer.
public struct FolderWriter: ~Copyable {
  private let layout: FolderLayout
  private let rights: FolderRights
  /// Folders that exist, and whose names are on the disk.
  private var folders: Set<String> = []
  /// Folders whose names have changed since the last sync.
  private var unsynced: Set<String> = []

  /// Opens the folder at `path`, which must exist and be writable: a missing stick must not be
  /// mistaken for a folder on the disk.
  public init(folder path: String) throws(StoreError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    try FolderFile.explained { [path] () throws(SystemError) in try Folder.checkWritable(path) }
    layout = FolderLayout(root: path)
    rights = FolderRights(of: path)
  }

  /// The most chunk files that are open at a time.
  private static let filesAtOnce = 128
  /// From this many chunks on, the whole file system is synced where that is possible. Each `fsync`
  /// of a file or a folder makes the disk empty its cache, which takes some milliseconds; one
  /// `syncfs` does so once.
  private static let fewFiles = 4

  /// Stores chunks, with as few syncs as the file system allows. Returns a verdict on each, in
  /// order.
  public mutating func store(
    _ chunks: [ChunkBatch.Part]
  ) throws(StoreError) -> [IntakeVerdict] {
    // Opened before the first write, so that it learns of write errors.
    let whole = chunks.count < Self.fewFiles ? nil : FileSystem(syncedAsWholeAt: layout.root)
    var verdicts: [IntakeVerdict] = []
    for start in stride(from: 0, to: chunks.count, by: Self.filesAtOnce) {
      verdicts += try place(chunks[start..<min(chunks.count, start + Self.filesAtOnce)], whole)
    }
    if let whole {
      try FolderFile.explained { () throws(SystemError) in try whole.sync() }
      unsynced = []
    } else {
      try syncFolders()
    }
    return verdicts
  }

  private mutating func place(
    _ chunks: ArraySlice<ChunkBatch.Part>, _ whole: FileSystem?
  ) throws(StoreError) -> [IntakeVerdict] {
    var verdicts: [IntakeVerdict] = []
    var pending: [(file: DurableFile, bytes: [UInt8])] = []
    var taken: [UniqueID: [UInt8]] = [:]
    for chunk in chunks {
      if let earlier = taken[chunk.id] {
        verdicts.append(earlier == chunk.bytes ? .held : .otherContent)
        continue
      }
      let path = layout.chunk(chunk.id)
      let former = try FolderFile.read(path)
      if let former, former == chunk.bytes {
        // The program that wrote it may have been cut off before the file was on the disk.
        if whole == nil {
          try FolderFile.explained { () throws(SystemError) in try Durability.sync(file: path) }
        }
        unsynced.insert(layout.chunkFolder(chunk.id))
        verdicts.append(.held)
      } else if let former, Self.isChunk(former, chunk.id) {
        verdicts.append(.otherContent)
        continue
      } else {
        // An existing file here is no chunk: the medium damaged it.
        try makeFolder(layout.chunkFolder(chunk.id))
        pending.append((try FolderFile.write(chunk.bytes, to: path, rights), chunk.bytes))
        verdicts.append(.stored)
      }
      taken[chunk.id] = chunk.bytes
    }
    try FolderFile.explained { () throws(SystemError) in
      if let whole, !pending.isEmpty {
        try whole.sync()
      } else {
        for (file, _) in pending { try file.sync() }
      }
    }
    for (file, bytes) in pending { try FolderFile.readBack(file, bytes) }
    for (file, _) in pending { try rename(file) }
    return verdicts
  }

  /// Stores the record of a session, in place of an earlier one.
  public mutating func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let id = record.session.id
    let former = try FolderReader(layout).soundRecord(of: id)
    if let former {
      var outline = IncomingSession(id)
      // `FolderIntake` compares the places of chunks, since it knows which chunks are held.
      outline.add(former) { _ in false }
      if let conflict = outline.conflict(with: record) { return .refused(conflict.description) }
    }
    return try replace(
      layout.record(id), by: record.encoded, isSound: former != nil,
      folders: [layout.sessionFolder(id)])
  }

  /// Stores fixes of a session's track, in place of earlier ones.
  public mutating func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    try replace(
      layout.piece(piece.session, first: piece.first), by: piece.encoded, isSound: true,
      folders: [layout.sessionFolder(piece.session), layout.trackFolder(piece.session)])
  }

  private mutating func replace(
    _ path: String, by bytes: [UInt8], isSound: Bool, folders: [String]
  ) throws(StoreError) -> IntakeVerdict {
    for folder in folders { try makeFolder(folder) }
    unsynced.insert(Self.folder(of: path))
    let former = try FolderFile.read(path)
    if former == bytes {
      try FolderFile.explained { () throws(SystemError) in try Durability.sync(file: path) }
    } else {
      let file = try FolderFile.write(bytes, to: path, rights)
      try FolderFile.explained { () throws(SystemError) in try file.sync() }
      try FolderFile.readBack(file, bytes)
      try rename(file)
    }
    try syncFolders()
    return former == bytes ? .held : former != nil && isSound ? .replaced : .stored
  }

  /// Makes a folder below the root, and the folders above it up to the root.
  private mutating func makeFolder(_ path: String) throws(StoreError) {
    // Another program may delete a folder that this one has made.
    guard path != layout.root, !folders.contains(path) || !Folder.exists(path) else { return }
    let parent = Self.folder(of: path)
    try makeFolder(parent)
    if try !FolderFile.makeFolder(path, rights) { try removeLeftovers(in: path) }
    // The program that made it may have been cut off before the name was on the disk.
    unsynced.insert(parent)
    folders.insert(path)
  }

  private mutating func rename(_ file: DurableFile) throws(StoreError) {
    try FolderFile.explained { () throws(SystemError) in try file.rename() }
    unsynced.insert(Self.folder(of: file.path))
  }

  private mutating func syncFolders() throws(StoreError) {
    try FolderFile.explained { () throws(SystemError) in
      for folder in unsynced { try Durability.sync(folder: folder) }
    }
    unsynced = []
  }

  /// Removes the files that a writer left when it was cut off a day ago or longer; younger files
  /// may be in use.
  private func removeLeftovers(in folder: String) throws(StoreError) {
    for name in try FolderFile.names(in: folder, hidden: true)
    where name.hasSuffix(Durability.hiddenEnding) {
      var status = stat()
      let path = folder + "/" + name
      guard unsafe lstat(path, &status) == 0 else { continue }
      if status.st_mtim.tv_sec < time(nil) - 86_400 { _ = unsafe unlink(path) }
    }
  }

  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
  }

  private static func isChunk(_ bytes: [UInt8], _ id: UniqueID) -> Bool {
    guard let chunk = try? Chunk(decoding: bytes.span) else { return false }
    return chunk.id == id
  }
}
