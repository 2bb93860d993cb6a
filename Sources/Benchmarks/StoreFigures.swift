internal import ChunkFormat
internal import DiskFaults
internal import Glibc
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Storage

/// `bench store`: what storing costs in bytes written, syncs and processor time, beside a row for each sample,
/// and how long a store with many chunks takes to open.
///
/// The disk counts: bytes and syncs are those of every file, the tail included. Both ways store the same
/// simulated walk, in turns.
public struct StoreFigures {
  /// Chunks of each signal in a turn: 20 s of a walk each.
  private static let chunksPerSignal = 100
  private static let turns = 5
  /// Chunks of the store whose opening is timed.
  private static let manyChunks = 10_000

  /// Measures, and says what was found.
  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    guard arguments.isEmpty else {
      return BenchCommand.Outcome(
        complaint: ["error: 'bench store' takes no options", "       try 'bench --help'"], status: 2
      )
    }
    do {
      return BenchCommand.Outcome(output: try lines())
    } catch {
      let problem = (error as? MeasurementError)?.problem ?? "\(error)"
      return BenchCommand.Outcome(complaint: ["error: \(problem)"], status: 1)
    }
  }

  private static func lines() throws -> [String] {
    let chunks = SimulatedChunks.make(GaitWearer(seed: 1), perSignal: chunksPerSignal)
    let encoder = ChunkEncoder()
    let payload = chunks.reduce(0) { $0 + encoder.encode($1).count }
    let samples = chunks.reduce(0) { $0 + $1.count }
    var ours: [Cost] = []
    var rows: [Cost] = []
    for _ in 0..<turns {
      ours.append(try recorder(chunks))
      rows.append(try rowPerSample(chunks))
    }
    let our = Cost.median(ours)
    let row = Cost.median(rows)
    func times(_ value: Double, _ payload: Double) -> String {
      "\((value / payload * 100).rounded() / 100)"
    }
    let opening = try openingSeconds()
    return [
      "\(chunks.count) chunks, \(samples) samples, payload \(payload) bytes, "
        + "\(times(Double(payload), Double(samples) / 2)) a pair",
      "database \(times(our.fileBytes, Double(payload))) x payload",
      "written \(times(our.writtenBytes, Double(payload))) x payload, of which the tail "
        + times(our.tailBytes, Double(payload)),
      "syncs beside the tail's: \(times(our.syncs, Double(chunks.count))) a chunk; the tail's "
        + "\(times(our.tailSyncs, our.seconds)) a second",
      "row per sample: written \(times(row.writtenBytes, our.writtenBytes)) x ours, "
        + "processor time \(times(row.nanoseconds, our.nanoseconds)) x ours "
        + "(\(Int(our.nanoseconds / Double(samples))) ns a sample)",
      "opening a store of \(manyChunks) chunks that was cut off: "
        + "\(Int(opening * 1_000)) ms",
    ]
  }

  /// What storing everything once cost.
  private struct Cost {
    var writtenBytes = 0.0
    var tailBytes = 0.0
    var fileBytes = 0.0
    var syncs = 0.0
    var tailSyncs = 0.0
    var nanoseconds = 0.0
    /// Of the recording, not of the storing.
    var seconds = 0.0

    static func median(_ costs: [Cost]) -> Cost {
      var cost = costs[0]
      cost.nanoseconds = costs.map(\.nanoseconds).sorted()[costs.count / 2]
      return cost
    }
  }

  /// The chunks in pairs, the samples of each in runs of a fifth of a second as the recorder writes them.
  private static func recorder(_ chunks: [Chunk]) throws -> Cost {
    let disk = try SimulatedDisk(keepsHistory: true)
    let path = disk.path + "/store"
    var cost = Cost()
    // A chunker has them at hand.
    let runs = steps(of: chunks)
    let start = processorNanoseconds()
    var store = try begin(chunks, path)
    var tail = Tail(store: path)
    try tail.append(
      chunks.prefix(2).enumerated().map { position, chunk in
        .stream(UInt16(position), chunk.part(0..<0))
      }, beginsGroup: true)
    for (step, records) in runs.enumerated() {
      try tail.append(records, beginsGroup: step % stepsPerGroup == 0)
      if step % stepsPerSync == 0 {
        try tail.segment?.sync()
        cost.tailSyncs += 1
      }
      let (pair, rest) = (step + 1).quotientAndRemainder(dividingBy: stepsPerChunk)
      if rest == 0 {
        try store.commit(chunks: Array(chunks[2 * pair - 2..<2 * pair]), fixes: [], clock: [])
      }
    }
    try store.end(session: chunks[0].session, at: BootTime(nanoseconds: 1))
    try store.close()
    cost.nanoseconds = processorNanoseconds() - start
    cost.seconds = Double(runs.count) * secondsPerStep
    cost.tailBytes = size(of: path + "-tail-1")
    count(disk.history, into: &cost)
    cost.writtenBytes += cost.tailBytes
    cost.fileBytes = size(of: path)
    return cost
  }

  /// What the recorder writes into the tail each fifth of a second.
  private static func steps(of chunks: [Chunk]) -> [[TailRecord]] {
    var steps: [[TailRecord]] = []
    for pair in stride(from: 0, to: chunks.count, by: 2) {
      for first in stride(from: 0, to: Chunk.capacity, by: samplesPerStep) {
        steps.append(
          (0..<2).compactMap { position in
            let part = chunks[pair + position].part(0..<first + samplesPerStep)
            var piece = part.piece(from: ChunkPosition(samples: first, gaps: 0))
            if steps.count % stepsPerGroup != 0, first > 0 { piece?.clock = nil }
            // As a chunker says it of a chunk that is open.
            if let period = piece?.clock?.period {
              piece?.clock?.period = (period * 16).rounded() / 16
            }
            return piece.map { .samples(UInt16(position), $0) }
          })
      }
    }
    return steps
  }

  private static let samplesPerStep = 20
  private static let stepsPerChunk = Chunk.capacity / samplesPerStep
  private static let secondsPerStep = 0.2
  private static let stepsPerSync = 3
  private static let stepsPerGroup = 5

  /// A table with a row for each sample, committed once a second: what is written without much thought.
  private static func rowPerSample(_ chunks: [Chunk]) throws -> Cost {
    let disk = try SimulatedDisk(keepsHistory: true)
    let path = disk.path + "/rows"
    var cost = Cost()
    let start = processorNanoseconds()
    var rows = try RowTable(path: path)
    for pair in stride(from: 0, to: chunks.count, by: 2) {
      for first in stride(from: 0, to: Chunk.capacity, by: 100) {
        try rows.insert(Array(chunks[pair..<pair + 2]), first..<first + 100)
      }
    }
    try rows.close()
    cost.nanoseconds = processorNanoseconds() - start
    count(disk.history, into: &cost)
    return cost
  }

  private static func begin(_ chunks: [Chunk], _ path: String) throws -> Store {
    var store = try Store(path: path)
    let first = chunks[0]
    try store.begin(
      Session(id: first.session, bootID: first.bootID, start: BootTime(nanoseconds: 0)))
    try store.addBoard(first.board, session: first.session)
    for chunk in chunks.prefix(2) {
      try store.addStream(chunk.stream, board: chunk.board.address, session: chunk.session)
    }
    return store
  }

  /// Seconds until a recorder has opened a store whose last recorder was cut off.
  private static func openingSeconds() throws -> Double {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store"
    let model = SimulatedChunks.make(GaitWearer(seed: 1), perSignal: 1)
    var store = try begin(model, path)
    var sequence: UInt32 = 0
    while sequence < manyChunks / 2 {
      var chunks: [Chunk] = []
      for _ in 0..<50 {
        for chunk in model {
          var copy = chunk
          copy.id = .random()
          copy.sequence = sequence
          chunks.append(copy)
        }
        sequence += 1
      }
      try store.commit(chunks: chunks, fixes: [], clock: [])
    }
    // Without an end, as after a crash.
    try store.close()
    let start = BootClock.now()
    try Store(path: path).close()
    return BootClock.now().seconds(since: start)
  }

  private static func count(_ history: [FileOperation], into cost: inout Cost) {
    for operation in history {
      switch operation {
      case .write(_, _, let bytes): cost.writtenBytes += Double(bytes.count)
      case .sync, .syncFolder: cost.syncs += 1
      default: break
      }
    }
  }

  private static func size(of path: String) -> Double {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Double(status.st_size) : 0
  }

  private static func processorNanoseconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

extension Chunk {
  /// Its samples in a range that begins with the first.
  fileprivate func part(_ range: Range<Int>) -> Chunk {
    var part = self
    part.counters = Array(counters[range])
    part.arrivals = Array(arrivals[range])
    part.ticks = stream.hasBoardTicks ? Array(ticks[range]) : []
    part.columns = columns.map { Array($0[range]) }
    return part
  }
}
