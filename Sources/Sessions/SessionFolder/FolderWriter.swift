internal import ChunkFormat
internal import Glibc
public import UploadProtocol
internal import LinuxSystem
public import Recording
internal import Values

/// A folder into which sessions are put: on a stick, a network share, or the disk of a laboratory.
///
/// What a call reports as stored, held or replaced is on the disk when it returns, and was read
/// back. A call that throws may have stored a part; doing it again goes on from there. Several
/// writers, also on several computers, may share a folder. One thread uses a writer.
public struct FolderWriter: ~Copyable {
  private let layout: FolderLayout
  private let rights: FolderRights
  /// Folders that are there, and whose names are on the disk.
  private var folders: Set<String> = []
  /// Folders in which names have changed since they were synced.
  private var unsynced: Set<String> = []

  /// Opens the folder at `path`, which must exist and be writable: a stick that is not there shall
  /// not be taken for a folder on the disk.
  public init(folder path: String) throws(StoreError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    try FolderFile.explained { [path] () throws(SystemError) in try Folder.checkWritable(path) }
    layout = FolderLayout(root: path)
    rights = FolderRights(of: path)
  }

  /// Chunks whose files are open at a time.
  private static let filesAtOnce = 128
  /// From this many chunks on, the file system is synced as a whole, where it can be. Each `fsync`
  /// of a file or a folder makes the disk empty its cache, which takes some milliseconds; one
  /// `syncfs` does so once.
  private static let fewFiles = 4

  /// Puts chunks into the folder, with as few syncs as the file system allows: a verdict on each,
  /// in order.
  public mutating func store(
    _ chunks: [ChunkBatch.Part]
  ) throws(StoreError) -> [IntakeVerdict] {
    // Opened before anything is written, so that it hears of what could not be.
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
        // Its writer may have been cut off before it was on the disk.
        if whole == nil {
          try FolderFile.explained { () throws(SystemError) in try Durability.sync(file: path) }
        }
        unsynced.insert(layout.chunkFolder(chunk.id))
        verdicts.append(.held)
      } else if let former, Self.isChunk(former, chunk.id) {
        verdicts.append(.otherContent)
        continue
      } else {
        // A file that may lie there is no chunk: the medium spoilt it.
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

  /// Puts the record of a session into the folder, in place of an earlier one.
  public mutating func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let id = record.session.id
    let former = try FolderReader(layout).soundRecord(of: id)
    if let former {
      var outline = IncomingSession(id)
      // Places are compared where it is known which chunks are there.
      outline.add(former) { _ in false }
      if let conflict = outline.conflict(with: record) { return .refused(conflict.description) }
    }
    return try replace(
      layout.record(id), by: record.encoded, isSound: former != nil,
      folders: [layout.sessionFolder(id)])
  }

  /// Puts fixes of a session's track into the folder, in place of those that were there.
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

  /// Makes a folder within ours, and those above it up to ours.
  private mutating func makeFolder(_ path: String) throws(StoreError) {
    guard path != layout.root, !folders.contains(path) else { return }
    let parent = Self.folder(of: path)
    try makeFolder(parent)
    if try !FolderFile.makeFolder(path, rights) { try removeLeftovers(in: path) }
    // Its maker may have been cut off before its name was on the disk.
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

  /// Removes what a writer that was cut off left a day ago or longer; younger files may be
  /// somebody's.
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
