internal import Glibc
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// The result of saving data from a torn store.
public struct StoreSalvage: Hashable, Sendable {
  /// Path of the kept torn file, which is unchanged.
  public var kept: String
  /// Sessions in the new file.
  public var sessions = 0
  /// Sessions of which more may be missing than is counted.
  public var doubtful: [UniqueID] = []
  /// Sessions of which only the id is left; they are not in the new file.
  public var gone: [UniqueID] = []
  /// The first of the chunks that were not saved, at most `StoreCheck.listed`.
  public var losses: [StoreCheck.Finding] = []
  /// Sessions known only from their chunks: they have no notes, hazards or events.
  public var rebuilt = 0
  /// Chunks in the new file.
  public var chunks = 0
  /// Chunks among them that were found only by their own bytes.
  public var found = 0
  /// Chunks known only by their numbers: none of their bytes can be read.
  public var unreadable = 0
  /// Chunks that were set aside because they are damaged.
  public var damaged = 0
  /// Incomplete chunks beyond these, of which the beginning is in the file.
  public var fragments = 0
  /// Samples of chunks that were not saved, by their numbers or by time; they count as lost.
  public var lostSamples: UInt64 = 0
  /// Tables with unreadable rows.
  public var incomplete: [String] = []
  /// Fixes of the track that were taken from chunks.
  public var fixes = 0

  /// Whether no sample is lost, as far as can be known.
  public var isWhole: Bool {
    unreadable + damaged + fragments == 0 && lostSamples == 0 && doubtful.isEmpty && gone.isEmpty
      && !incomplete.contains("session")
  }

  /// Saves the readable data of the store at `path` into a new file, which replaces it: all rows
  /// that SQLite can still read, and every chunk whose bytes are in the file.
  ///
  /// The torn file is kept beside it. A crash leaves one or the other, never a mixture. Returns
  /// `nil`, with all files unchanged, if `progress` ended the work. Throws `.notAStore`, and leaves
  /// the file unchanged, if it contains no data of a store.
  public static func run(
    _ path: String, _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> StoreSalvage? {
    guard Folder.exists(path) else {
      throw .found(.cannotOpen, "cannot open \(path): there is no such file", path: path)
    }
    let lock = try StoreLock(store: path, .changing)
    let new = path + "-salvage"
    removeFile(new)
    var isInPlace = false
    defer { if !isInPlace { removeFile(new) } }
    guard var salvage = try save(path, to: new, progress) else { return nil }
    salvage.kept = freeName(path)
    try exchange(path, for: new, keeping: salvage.kept)
    isInPlace = true
    // The lock is held until here: a recorder may start now.
    _ = consume lock
    return salvage
  }

  private static func save(
    _ path: String, to new: String, _ progress: StoreProgress
  ) throws(StoreError) -> StoreSalvage? {
    var salvage = StoreSalvage(kept: "")
    let torn = TornStore(path: path)
    let target = try SalvagedStore(path: new, version: torn?.version ?? Schema.version)
    // Rows are copied first, in their version of the schema, and migrated before chunks are added.
    try target.database.execute("BEGIN", doing: SalvagedStore.doing)
    for table in Schema.tables where try target.database.hasTable(table) && table != "chunk" {
      if let torn, try torn.copyRows(of: table, to: target.database) { continue }
      salvage.incomplete.append(table)
    }
    try target.database.execute("COMMIT", doing: SalvagedStore.doing)
    try target.database.migrate(from: torn?.version ?? Schema.version)
    try target.database.execute("BEGIN", doing: SalvagedStore.doing)
    try target.removeNonsense()
    if salvage.incomplete.contains("stream") { try target.doubtStreams() }
    let index = torn?.chunkIndex() ?? ChunkIndex()
    let numbers = index.numbers.sorted()
    try target.reserve(index)
    var lost: Set<Int64> = []
    for (done, number) in numbers.enumerated() {
      guard progress(done, numbers.count) else { return nil }
      if let (chunk, bytes) = torn?.chunk(number) {
        _ = try target.add(chunk, bytes, number: number)
      } else {
        lost.insert(number)
      }
    }
    let names = torn?.ids(of: lost) ?? [:]
    func goesOn() -> Bool { progress(numbers.count, numbers.count) }
    guard try salvage.scan(path, into: target, names, goesOn) else { return nil }
    var noted = 0
    for number in lost.sorted() {
      let chunk = torn?.lostChunk(number)
      if try target.hasChunk(number, chunk?.id) { continue }
      if let chunk, let samples = try target.note(chunk) {
        if chunk.bytes == nil {
          salvage.unreadable += 1
          noted += 1
        } else {
          salvage.damaged += 1
        }
        salvage.lostSamples = salvage.lostSamples.addingSaturated(samples)
      } else {
        salvage.unreadable += 1
      }
    }
    let tail = (try? StoreTail(store: path)) ?? StoreTail()
    try salvage.finish(target, tail, noted: noted)
    guard torn?.isOurs ?? false || salvage.chunks > 0 else {
      throw StoreError(
        .notAStore, "cannot repair \(path): it contains no data of a footbridge store",
        remedy: "give the path of a store; if this was one, go back to a copy of it")
    }
    return goesOn() ? salvage : nil
  }

  /// Adds the chunks found only by their own bytes; `names` identifies some of them. Returns false
  /// if `goesOn` ended the search.
  private mutating func scan(
    _ path: String, into target: SalvagedStore, _ names: [UniqueID: Int64],
    _ goesOn: () -> Bool
  ) throws(StoreError) -> Bool {
    // The header may be damaged too, or another program may have rewritten the file.
    var sizes = [PageImage.statedPageSize(of: path) ?? Schema.pageSize]
    for size in [Schema.pageSize, 4_096] where !sizes.contains(size) { sizes.append(size) }
    let hasLog = Folder.exists(path + "-wal")
    for size in sizes {
      // A page in the log may be damaged while the one that it replaces is intact.
      for withLog in hasLog ? [true, false] : [false] {
        let image = try PageImage(path: path, pageSize: size, withLog: withLog)
        guard var scanner = ChunkScanner(image, goesOn) else { return false }
        var found = 0
        let take: (ChunkScanner.Found) throws(StoreError) -> Void = { chunk throws(StoreError) in
          let number = names[chunk.chunk.id]
          if try target.add(chunk.chunk, chunk.bytes, number: number) { found += 1 }
        }
        try scanner.findWhole(take)
        try scanner.findBroken(take)
        self.found += found
        if size == sizes.first { fragments = scanner.missing }
        if scanner.missing == 0, !withLog { return true }
      }
    }
    return true
  }

  /// Adds the remaining rows that chunks need, and counts the result.
  ///
  /// - Parameter noted: unreadable chunks whose rows were read.
  private mutating func finish(
    _ target: SalvagedStore, _ tail: StoreTail, noted: Int
  ) throws(StoreError) {
    try target.removeStrays()
    let isTrackWhole = !incomplete.contains("fix") && !incomplete.contains("clock")
    for session in try target.database.storedSessions().map(\.id)
    where !isTrackWhole || target.rebuilt.contains(session) {
      fixes += try target.addFixes(of: session)
    }
    try target.endRebuilt()
    let missing = try target.countMissing(tail)
    unreadable = max(unreadable, noted + missing.chunks)
    lostSamples = lostSamples.addingSaturated(missing.samples)
    doubtful = try target.noteDoubts()
    losses = target.losses
    gone = target.gone
    try target.finish()
    rebuilt = target.rebuilt.count
    sessions = Int(try target.database.integer("SELECT count(*) FROM session"))
    chunks = Int(try target.database.integer("SELECT count(*) FROM chunk"))
    fragments = max(0, fragments - unreadable - damaged)
  }

  /// Replaces the torn file by the new one; the torn file gets another name with its log.
  private static func exchange(
    _ path: String, for new: String, keeping kept: String
  ) throws(StoreError) {
    StoreFile.copyRights(of: path, to: new)
    do throws(SystemError) {
      // The torn file gets a second name, so that a store exists at every moment. On a medium
      // without hard links it is renamed.
      if unsafe link(path, kept) != 0 { try Durability.rename(path, to: kept) }
      unsafe rename(path + "-wal", kept + "-wal")
      unsafe unlink(path + "-shm")
      try Durability.place(new, at: path)
    } catch {
      throw .found(.other, "cannot keep \(path) as \(kept): \(error.reason)", path: path)
    }
  }

  private static func freeName(_ path: String) -> String {
    var name = path + ".damaged"
    var number = 2
    while Folder.exists(name) {
      name = path + ".damaged-\(number)"
      number += 1
    }
    return name
  }

  private static func removeFile(_ path: String) {
    for name in [path, path + "-journal", path + "-wal", path + "-shm"] { unsafe unlink(name) }
  }
}
