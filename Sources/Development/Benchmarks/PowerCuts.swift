internal import ChunkFormat
internal import DiskFaults
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// Makes a recording on a disk that logs each write and each sync. Then checks the possible
/// contents of the disk after a power cut at any point.
public struct PowerCuts: Sendable {
  public var cuts: Int
  /// The seed that determines the times of the power cuts and which unsynced data survives.
  public var seed: UInt64

  public init(cuts: Int, seed: UInt64) {
    self.cuts = cuts
    self.seed = seed
  }

  /// Makes one recording, then checks the store after power cuts at randomly chosen times.
  public func run() throws -> CutReport {
    var generator = SplitMix64(seed: seed)
    let recording = try CutRecording()
    let moments = (0..<cuts)
      .map { _ in Int.random(in: 0...recording.history.count, using: &generator) }.sorted()
    var state = FolderState()
    var applied = 0
    var report = CutReport()
    for (number, moment) in moments.enumerated() {
      for operation in recording.history[applied..<moment] { state.apply(operation) }
      applied = moment
      let fate: FolderState.Fate = number % 4 == 0 ? .lost : .drawn
      let image = state.image(fate, using: &generator)
      report.add(try recording.look(at: image, after: moment, "power cut \(number)"))
    }
    return report
  }
}

/// Records two streams in small steps, as the recorder would receive them, and logs when their
/// samples were synced.
private struct CutRecording {
  /// The number of samples per stream in one step, which lasts 200 ms at 200 Hz.
  private static let samplesPerStep = 40
  private static let steps = 160
  private static let stepsPerSync = 4
  /// The number of steps between two frames that can be decoded independently.
  private static let stepsPerGroup = 5
  /// The number of steps before a new tail file starts. In practice, a file reaches this length
  /// only after several minutes.
  private static let stepsPerFile = 70
  private static let secondsPerStep = 0.2
  private static let signals = ["acceleration", "angular_velocity"]

  private let session = Session(
    id: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 0))
  /// All file operations, in chronological order.
  private(set) var history: [FileOperation] = []
  /// The number of synced samples per stream after a given number of file operations.
  private var safe: [(operations: Int, samples: Int)] = []
  /// The number of samples received after a given number of file operations.
  private var taken: [(operations: Int, samples: Int)] = []

  init() throws {
    let disk = try SimulatedDisk(keeping: .history)
    let path = disk.path + "/store"
    var store = try Store.open(path: path)
    try store.begin(session)
    let board = BoardIdentity(
      address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
      firmware: "1.7.2")
    try store.addBoard(board, session: session.id)
    var chunkers: [Chunker] = []
    for signal in Self.signals {
      let description = StreamDescription(
        signal: signal, unit: "g", countsPerUnit: 1, rate: 200, lossAccounting: .counted)
      try store.addStream(description, board: board.address, session: session.id)
      chunkers.append(
        Chunker(
          session: session.id, bootID: session.bootID, board: board, stream: description))
    }
    var tail = Tail(store: path)
    var mirror = TailMirror(folder: disk.path, disk)
    try tail.append(
      chunkers.indices.map { .stream(UInt16($0), chunkers[$0].outline) }, beginsGroup: true)
    try mirror.note(tail.segment)
    var positions = [ChunkPosition](repeating: ChunkPosition(), count: chunkers.count)
    var number = 0
    for step in 0..<Self.steps {
      var records: [TailRecord] = []
      var sealed: [Chunk] = []
      for _ in 0..<Self.samplesPerStep {
        for index in chunkers.indices {
          guard chunkers[index].append(Self.reading(number)) == .full,
            let chunk = chunkers[index].seal(fixes: [])
          else { continue }
          if let rest = chunk.piece(from: positions[index]) {
            records.append(.samples(UInt16(index), rest))
          }
          positions[index] = ChunkPosition()
          sealed.append(chunk)
        }
        number += 1
      }
      let beginsGroup = tail.beginsBlock || step % Self.stepsPerGroup == 0
      for index in chunkers.indices {
        if let piece = chunkers[index].piece(from: positions[index], withClock: beginsGroup) {
          records.append(.samples(UInt16(index), piece))
          positions[index] = piece.end
        }
      }
      try tail.append(records, beginsGroup: beginsGroup)
      try mirror.note(tail.segment)
      taken.append((disk.historyCount, number))
      if !sealed.isEmpty { try store.commit(chunks: sealed, fixes: [], clock: []) }
      if step % Self.stepsPerFile == Self.stepsPerFile - 1 {
        let whole = chunkers.indices.compactMap { index in
          chunkers[index].piece(from: ChunkPosition(), withClock: true)
            .map { TailRecord.samples(UInt16(index), $0) }
        }
        let former = try tail.restart(
          with: chunkers.indices.map { .stream(UInt16($0), chunkers[$0].outline) } + whole)
        try mirror.note(tail.segment)
        try tail.segment?.sync()
        mirror.noteSync()
        former?.remove()
        mirror.noteRemovals()
      }
      if step % Self.stepsPerSync == 0 {
        tail.noteSync()
        try tail.segment?.sync()
        mirror.noteSync()
        safe.append((disk.historyCount, number))
      }
    }
    history = disk.history
    // The operations that close the store are not part of the test.
    try store.close()
  }

  private static func reading(_ number: Int) -> Reading {
    let values = NumberedSamples.values(of: number)
    return Reading(
      board: 0, stream: 0,
      arrival: BootTime(nanoseconds: Int64(number) * 5_000_000 + 1_000_000_000),
      counter: UInt32(number), x: Int32(values[0]), y: Int32(values[1]), z: Int32(values[2]))
  }

  /// Compares the store in this disk image with the samples that had been synced after the first
  /// `operations` file operations.
  func look(
    at image: [String: [UInt8]], after operations: Int, _ place: String
  ) throws -> CutReport {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for (name, bytes) in image {
      let file = try OwnedDescriptor.create(folder.path + "/" + name)
      guard bytes.isEmpty || file.write(bytes) == bytes.count else {
        throw MeasurementError("cannot write a disk image")
      }
    }
    let path = folder.path + "/store"
    var report = CutReport(cuts: 1)
    let safe = self.safe.last { $0.operations <= operations }?.samples ?? 0
    let taken = self.taken.first { $0.operations > operations }?.samples ?? self.taken.last?.samples
    do {
      try Store.open(path: path).close()
    } catch {
      report.broken.append("\(place): \(error)")
      return report
    }
    for signal in Self.signals {
      let stored = try NumberedSamples.stored(in: path, session: session.id, signal: signal)
      var found = NumberedSamples.compare(stored, sent: taken ?? 0, "\(place), \(signal)")
      found.cuts = 0
      let unique = Set(stored.numbers)
      let missing = (0..<safe).count { !unique.contains($0) }
      if missing > 0 {
        found.broken.append("\(place), \(signal): \(missing) of \(safe) synced samples are missing")
      }
      report.add(found)
    }
    let newest = Double(report.newest) / Double(Self.signals.count) / Double(Self.samplesPerStep)
    report.windows.append(newest * Self.secondsPerStep)
    return report
  }
}

/// Reports operations on the tail files to the simulated disk, since SQLite does not write these
/// files.
private struct TailMirror {
  private let folder: String
  private let disk: SimulatedDisk
  private var files: [File] = []

  private struct File {
    let name: String
    /// The number of frame bytes that were reported to the simulated disk.
    var length = 0
    /// The number of bytes that were reported to the simulated disk, including trailing zeros.
    var size = 0
  }

  init(folder: String, _ disk: SimulatedDisk) {
    self.folder = folder
    self.disk = disk
  }

  /// Reports the bytes that were written to the newest tail file since the last call.
  mutating func note(_ segment: TailSegment?) throws {
    guard let segment else { return }
    let next = "store-tail-\(files.count + 1)"
    if Folder.exists(folder + "/" + next) {
      _ = disk.admit(.create(next))
      files.append(File(name: next))
    }
    guard let last = files.indices.last else { return }
    let name = files[last].name
    let bytes = try WholeFile.read(folder + "/" + name) ?? []
    let (length, size) = (files[last].length, files[last].size)
    if bytes.count > size {
      _ = disk.admit(.write(name, at: size, [UInt8](repeating: 0, count: bytes.count - size)))
    }
    if segment.length > length {
      _ = disk.admit(.write(name, at: length, Array(bytes[length..<segment.length])))
    }
    files[last].length = segment.length
    files[last].size = bytes.count
  }

  /// Reports a sync of the newest tail file and of its directory entry.
  func noteSync() {
    guard let last = files.last else { return }
    _ = disk.admit(.sync(last.name))
    _ = disk.admit(.syncFolder)
  }

  /// Reports the removal of the second-newest tail file.
  func noteRemovals() {
    if files.count > 1 { _ = disk.admit(.remove(files[files.count - 2].name)) }
  }
}
