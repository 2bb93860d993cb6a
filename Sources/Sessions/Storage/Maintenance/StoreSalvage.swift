internal import Glibc
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// The result of saving the data from a torn store.
public struct StoreSalvage: Hashable, Sendable {
  /// Path of the torn file, which remains unchanged.
  public var kept: String
  /// Number of sessions in the new file.
  public var sessions = 0
  /// Sessions in which uncounted samples may be missing.
  public var doubtful: [UniqueID] = []
  /// Sessions that the new file does not contain, since only their ids are known.
  public var gone: [UniqueID] = []
  /// The first chunks that could not be saved, at most `StoreCheck.listed`.
  public var losses: [StoreCheck.Finding] = []
  /// Number of sessions that were restored only from their chunks, without notes, hazards or
  /// events.
  public var rebuilt = 0
  /// Number of chunks in the new file.
  public var chunks = 0
  /// Number of chunks in the new file that were found only by searching for their bytes.
  public var found = 0
  /// Number of chunks that are known to exist, although none of their bytes can be read.
  public var unreadable = 0
  /// Number of damaged chunks that were set aside.
  public var damaged = 0
  /// Number of additional incomplete chunks, of which the file contains only the start.
  public var fragments = 0
  /// Number of samples in chunks that could not be saved, according to their rows, the sample
  /// numbers or the elapsed time. These samples are counted as lost.
  public var lostSamples: UInt64 = 0
  /// Names of the tables in which some rows cannot be read.
  public var incomplete: [String] = []
  /// Number of fixes that were restored from chunks.
  public var fixes = 0

  /// Whether no loss of samples was found or suspected.
  public var isWhole: Bool {
    unreadable + damaged + fragments == 0 && lostSamples == 0 && doubtful.isEmpty && gone.isEmpty
      && !incomplete.contains("session")
  }

  /// Saves the readable data of the store at `path` to a new file, which replaces it. The readable
  /// data consists of all rows that SQLite can still read, and every chunk whose bytes are in the
  /// file.
  ///
  /// The torn file remains next to the new one, under another name. A crash leaves either the torn
  /// file or the new file at `path`, never a mixture. Returns `nil`, with all files unchanged, if
  /// `progress` cancelled the work. Throws `.notAStore`, and leaves the file unchanged, if it
  /// contains no store data.
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
    // Hold the lock up to this point. From here on, a recorder may start.
    _ = consume lock
    return salvage
  }

  private static func save(
    _ path: String, to new: String, _ progress: StoreProgress
  ) throws(StoreError) -> StoreSalvage? {
    var salvage = StoreSalvage(kept: "")
    let torn = TornStore(path: path)
    let target = try SalvagedStore(path: new, version: torn?.version ?? Schema.version)
    // Rows are copied first, in their own schema version, and migrated before chunks are added.
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
      if let torn, let (chunk, bytes) = torn.chunk(number) {
        _ = try target.add(chunk, bytes, number: number)
        if torn.describesAnother(number, than: chunk) { try target.forgetUploads(of: number) }
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
      if let chunk, let samples = try target.note(chunk, number: number) {
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
        .notAStore, "cannot repair \(path): it contains no data from a footbridge store",
        remedy: "give the path of a store; if this file was a store, restore it from a copy")
    }
    return goesOn() ? salvage : nil
  }

  /// Adds the chunks that can be found only by searching for their bytes. `names` contains the
  /// former numbers of some of them. Returns false if `goesOn` stopped the search.
  private mutating func scan(
    _ path: String, into target: SalvagedStore, _ names: [UniqueID: Int64],
    _ goesOn: () -> Bool
  ) throws(StoreError) -> Bool {
    // The page size in the header may be damaged too, or another program may have rewritten the
    // file with a different page size.
    var sizes = [PageImage.statedPageSize(of: path) ?? Schema.pageSize]
    for size in [Schema.pageSize, 4_096] where !sizes.contains(size) { sizes.append(size) }
    let hasLog = Folder.exists(path + "-wal")
    for size in sizes {
      // A page in the log may be damaged, and the page that it replaces in the file may be intact.
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

  /// Removes rows that refer to missing rows, adds the data that only chunks contain, and counts
  /// the saved and the missing data.
  ///
  /// - Parameter noted: the number of unreadable chunks whose rows could be read.
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

  /// Replaces the torn file with the new one. The torn file and its log get other names.
  private static func exchange(
    _ path: String, for new: String, keeping kept: String
  ) throws(StoreError) {
    StoreFile.copyRights(of: path, to: new)
    do throws(SystemError) {
      // First, give the torn file a second name, so that a store exists at its path at all times.
      // On a medium without hard links, rename the file.
      if unsafe link(path, kept) != 0 { try Durability.rename(path, to: kept) }
      unsafe rename(path + "-wal", kept + "-wal")
      unsafe unlink(path + "-shm")
      try Durability.place(new, at: path)
    } catch {
      throw .found(.other, "cannot save \(path) as \(kept): \(error.reason)", path: path)
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
