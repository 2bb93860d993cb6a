internal import ChunkFormat
internal import Recording
internal import Simulation
internal import Storage
internal import Values

/// The samples of several boards, each with acceleration and angular velocity at 100 Hz, and two
/// ways to store them.
struct StoreLoad {
  /// The interval at which rows are committed and synced.
  enum Pace {
    case eachSecond
    /// Rows are committed and synced as often as Footbridge syncs its tail, so a crash loses no
    /// more samples than with the tail.
    case asOurs
  }

  private static let samplesPerStep = 20
  private static let stepsPerChunk = Chunk.capacity / samplesPerStep
  private static let secondsPerStep = 0.2
  private static let stepsPerSync = 4
  private static let stepsPerGroup = 5

  let streams: Int
  /// The chunks, interleaved: the first chunk of each stream, then the second chunk of each stream,
  /// and so on.
  private let chunks: [Chunk]
  /// Tail records for each fifth of a second, prepared in advance as a chunker would.
  private let runs: [[TailRecord]]
  /// The total size of all chunks in bytes.
  let payload: Int

  init(boards: Int, chunksPerStream: Int) {
    let walk = SimulatedChunks.make(GaitWearer(seed: 1), perSignal: chunksPerStream)
    streams = 2 * boards
    chunks = stride(from: 0, to: walk.count, by: 2).flatMap { pair in
      (0..<boards).flatMap { board in
        walk[pair..<pair + 2].map { chunk in
          var copy = chunk
          copy.id = .random()
          copy.board.address = BoardAddress(value: chunk.board.address.value + UInt64(board))
          return copy
        }
      }
    }
    let encoder = ChunkEncoder()
    payload = chunks.reduce(0) { $0 + encoder.encode($1).count }
    runs = Self.runs(of: chunks, streams: streams)
  }

  var chunkCount: Int { chunks.count }
  var samples: Int { chunks.count * Chunk.capacity }
  /// The recording's duration in seconds.
  var seconds: Double { Double(runs.count) * Self.secondsPerStep }

  /// Stores the samples as the gateway does: it writes to the tail every fifth of a second, and
  /// stores chunks when they are full.
  func record(into path: String) throws -> StoreCost {
    var cost = StoreCost()
    var store = try Self.begin(Array(chunks.prefix(streams)), path)
    var tail = Tail(store: path)
    try tail.append(
      chunks.prefix(streams).enumerated().map { position, chunk in
        .stream(UInt16(position), chunk.part(0..<0))
      }, beginsGroup: true)
    for (step, records) in runs.enumerated() {
      try tail.append(records, beginsGroup: step % Self.stepsPerGroup == 0)
      if step % Self.stepsPerSync == 0 {
        try tail.segment?.sync()
        cost.tailSyncs += 1
      }
      let (round, rest) = (step + 1).quotientAndRemainder(dividingBy: Self.stepsPerChunk)
      if rest == 0 {
        try store.commit(
          chunks: Array(chunks[streams * (round - 1)..<streams * round]), fixes: [], clock: [])
      }
    }
    cost.tailBytes = Double(tail.segment?.length ?? 0)
    try store.end(session: chunks[0].session, at: BootTime(nanoseconds: 1))
    try store.close()
    return cost
  }

  /// Stores the samples in the obvious way, with one row per sample.
  func insertRows(into path: String, _ pace: Pace) throws -> StoreCost {
    var rows = try RowTable(path: path)
    let count = pace == .asOurs ? Self.samplesPerStep : Self.samplesPerStep * Self.stepsPerGroup
    var commits = 0
    for round in stride(from: 0, to: chunks.count, by: streams) {
      for first in stride(from: 0, to: Chunk.capacity, by: count) {
        try rows.insert(
          chunks[round..<round + streams], first..<first + count,
          isSynced: pace == .eachSecond || commits % Self.stepsPerSync == 0)
        commits += 1
      }
    }
    try rows.close()
    return StoreCost()
  }

  /// Creates a store, and starts a session with these chunks' streams.
  static func begin(_ chunks: [Chunk], _ path: String) throws -> Store {
    var store = try Store.open(path: path)
    let first = chunks[0]
    try store.begin(
      Session(id: first.session, bootID: first.bootID, start: BootTime(nanoseconds: 0)))
    for chunk in chunks {
      try store.addBoard(chunk.board, session: chunk.session)
      try store.addStream(chunk.stream, board: chunk.board.address, session: chunk.session)
    }
    return store
  }

  private static func runs(of chunks: [Chunk], streams: Int) -> [[TailRecord]] {
    var runs: [[TailRecord]] = []
    for round in stride(from: 0, to: chunks.count, by: streams) {
      for first in stride(from: 0, to: Chunk.capacity, by: samplesPerStep) {
        runs.append(
          (0..<streams).compactMap { position in
            let part = chunks[round + position].part(0..<first + samplesPerStep)
            var piece = part.piece(from: ChunkPosition(samples: first, gaps: 0))
            if runs.count % stepsPerGroup != 0, first > 0 { piece?.clock = nil }
            // Round the period to sixteenths of a nanosecond, as a chunker does for an open chunk.
            if let period = piece?.clock?.period {
              piece?.clock?.period = (period * 16).rounded() / 16
            }
            return piece.map { .samples(UInt16(position), $0) }
          })
      }
    }
    return runs
  }
}

extension Chunk {
  /// Returns a chunk reduced to a range of its samples. The range must start at 0.
  fileprivate func part(_ range: Range<Int>) -> Chunk {
    var part = self
    part.counters = Array(counters[range])
    part.arrivals = Array(arrivals[range])
    part.ticks = stream.hasBoardTicks ? Array(ticks[range]) : []
    part.columns = columns.map { Array($0[range]) }
    return part
  }
}
