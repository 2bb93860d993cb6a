internal import ChunkFormat
internal import Glibc
public import UploadProtocol
internal import LinuxSystem
public import Recording
internal import Values

/// Writes sessions to a folder on a USB stick, a network share, or a local disk.
///
/// When a call returns, each item with the verdict stored, held or replaced is on disk and has been
/// read back. If a call throws an error, some of its items may already be stored; repeating the
/// call continues from there. Several writers, even on several computers, may share a folder. A
/// single writer is not thread-safe.
public struct FolderWriter: ~Copyable {
  private let layout: FolderLayout
  private let rights: FolderRights
  /// Paths of folders that exist and whose directory entries have been synced to disk.
  private var folders: Set<String> = []
  /// Paths of folders that were modified since the last sync.
  private var unsynced: Set<String> = []

  /// Opens the folder at `path`, which must exist and be writable: a folder on a missing USB stick
  /// must not be mistaken for a new folder on the disk.
  public init(folder path: String) throws(StoreError) {
    let layout = FolderLayout(path)
    try FolderFile.explained { () throws(SystemError) in try Folder.checkWritable(layout.root) }
    self.layout = layout
    rights = FolderRights(of: layout.root)
  }

  /// Maximum number of chunk files that are open at the same time.
  private static let filesAtOnce = 128
  /// If at least this number of chunks is stored, the whole file system is synced, if possible.
  /// Each `fsync` of a file or a folder flushes the disk's cache, which takes a few milliseconds;
  /// one `syncfs` flushes it only once.
  private static let fewFiles = 4

  /// Stores chunks, using as few syncs as the file system allows. Returns a verdict on each chunk,
  /// in order.
  public mutating func store(
    _ chunks: [ChunkBatch.Part]
  ) throws(StoreError) -> [IntakeVerdict] {
    // Open the file system before the first write, so that the sync reports write errors.
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
    var verdicts: [Int: IntakeVerdict] = [:]
    var pending: [(position: Int, file: DurableFile)] = []
    var ids: Set<UniqueID> = []
    for position in chunks.indices {
      let chunk = chunks[position]
      // A repeated id is checked after all files have been written.
      guard ids.insert(chunk.id).inserted else { continue }
      verdicts[position] = try verdict(on: chunk, whole)
      guard verdicts[position] == nil else { continue }
      try makeFolder(layout.chunkFolder(chunk.id))
      let file = try FolderFile.write(chunk.bytes, to: layout.chunk(chunk.id), rights)
      pending.append((position, file))
    }
    try FolderFile.explained { () throws(SystemError) in
      if let whole, !pending.isEmpty {
        try whole.sync()
      } else {
        for (_, file) in pending { try file.sync() }
      }
    }
    for (position, file) in pending { try FolderFile.readBack(file, chunks[position].bytes) }
    for (position, file) in pending {
      verdicts[position] = try place(file, chunks[position], whole)
    }
    var all: [IntakeVerdict] = []
    for position in chunks.indices {
      var verdict = verdicts[position]
      if verdict == nil { verdict = try self.verdict(on: chunks[position], whole) }
      all.append(verdict ?? .otherContent)
    }
    return all
  }

  /// Returns the verdict on a chunk whose file already exists. Returns `nil` if the chunk must be
  /// written, because its file is missing or damaged.
  private mutating func verdict(
    on chunk: ChunkBatch.Part, _ whole: FileSystem?
  ) throws(StoreError) -> IntakeVerdict? {
    let path = layout.chunk(chunk.id)
    let former: [UInt8]?
    do throws(StoreError) {
      former = try FolderFile.read(path)
    } catch {
      // A folder at the path of a chunk's file blocks only that chunk.
      guard error.kind == .damaged else { throw error }
      return .refused("\(error.message): \(error.remedy)")
    }
    guard let former else { return nil }
    guard former == chunk.bytes else {
      let isDamaged = FolderReader.chunk(chunk.id, in: former) == nil
      return isDamaged && Chunk.isRestored(former, by: chunk.bytes) ? nil : .otherContent
    }
    // The program that wrote the file may have been interrupted before the file was on disk.
    if whole == nil {
      try FolderFile.explained { () throws(SystemError) in try Durability.sync(file: path) }
    }
    unsynced.insert(layout.chunkFolder(chunk.id))
    return .held
  }

  /// Maximum number of seconds to wait for another writer that is replacing a file.
  private static let patience = 10.0

  /// Renames a chunk's synced file to its final name, unless another writer has stored the chunk in
  /// the meantime.
  private mutating func place(
    _ file: DurableFile, _ chunk: ChunkBatch.Part, _ whole: FileSystem?
  ) throws(StoreError) -> IntakeVerdict {
    let folder = layout.chunkFolder(chunk.id)
    unsynced.insert(folder)
    if try FolderFile.explained({ () throws(SystemError) in try file.renameIfFree() }) {
      return .stored
    }
    // Only one writer at a time may replace a damaged file. Check the file again, since another
    // writer may already have replaced it.
    let turn = try turn(in: folder)
    let verdict = try verdict(on: chunk, whole)
    if verdict == nil { try rename(file) }
    _ = consume turn
    return verdict ?? .replaced
  }

  /// Waits for the lock that allows only one writer at a time to replace files in a folder.
  private func turn(in folder: String) throws(StoreError) -> FolderLock {
    try FolderFile.explained { () throws(SystemError) in
      try FolderLock(folder, waitingAtMost: Self.patience)
    }
  }

  /// Stores a session's record, replacing any earlier one.
  public mutating func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let id = record.session.id
    try makeFolder(layout.sessionFolder(id))
    let turn = try turn(in: layout.sessionFolder(id))
    let former = try FolderReader(layout).soundRecord(of: id)
    if let former {
      var outline = IncomingSession(id)
      // Do not compare the positions of chunks here: `FolderIntake` does so, since it knows which
      // chunks are stored.
      outline.add(former) { _ in false }
      if let conflict = outline.conflict(with: record) { return .refused(conflict.description) }
    }
    let verdict = try replace(layout.record(id), by: record.encoded, isSound: former != nil)
    _ = consume turn
    return verdict
  }

  /// Stores a piece of a session's track, replacing any earlier version of the piece.
  public mutating func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    try makeFolder(layout.trackFolder(piece.session))
    let turn = try turn(in: layout.trackFolder(piece.session))
    let held = try? FolderReader(layout).track(of: piece.session, from: piece.first)
    let later = held.flatMap { piece.begins($0.fixes) ? $0 : nil } ?? piece
    let verdict = try replace(
      layout.piece(piece.session, first: piece.first), by: later.encoded, isSound: held != nil)
    _ = consume turn
    return verdict
  }

  private mutating func replace(
    _ path: String, by bytes: [UInt8], isSound: Bool
  ) throws(StoreError) -> IntakeVerdict {
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

  /// Creates a folder inside the root, including its parent folders.
  private mutating func makeFolder(_ path: String) throws(StoreError) {
    // Another program may have deleted a folder that this program created.
    guard path != layout.root, !folders.contains(path) || !Folder.exists(path) else { return }
    let parent = Self.folder(of: path)
    try makeFolder(parent)
    if try !FolderFile.makeFolder(path, rights) { try removeLeftovers(in: path) }
    // The program that created the folder may have been interrupted before the folder's directory
    // entry was on disk.
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

  /// Removes temporary files that interrupted writers left at least a day ago. Newer files may
  /// still be in use.
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
}
