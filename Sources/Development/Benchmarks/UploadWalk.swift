internal import Recording
internal import Simulation
internal import Storage
internal import Values

/// A finished recording that is ready to be uploaded. It has one board with acceleration and
/// angular velocity at 100 Hz, known times, and one fix per minute.
struct UploadWalk {
  /// The number of simulated chunks per signal. All other chunks are copies with later times.
  private static let modelChunksPerSignal = 20
  private static let chunksPerCommit = 64
  private static let secondsPerChunk = 20.0
  private static let secondsPerFix = 60.0

  let path: String
  let session: UniqueID
  /// The chunks' ids, in storage order.
  let chunks: [UniqueID]
  /// The total size of all chunks in bytes.
  let payload: Int

  init(at path: String, chunks count: Int) throws {
    let model = SimulatedChunks.make(
      GaitWearer(seed: 1), perSignal: min(Self.modelChunksPerSignal, (count + 1) / 2))
    var store = try StoreLoad.begin(Array(model.prefix(2)), path)
    var ids: [UniqueID] = []
    var start = model[0].clock.first
    for first in stride(from: 0, to: count, by: Self.chunksPerCommit) {
      let chunks = (first..<min(count, first + Self.chunksPerCommit)).map {
        Self.chunk($0, of: model)
      }
      ids += chunks.map(\.id)
      let end = chunks.last?.clock.first ?? start
      try store.commit(chunks: chunks, fixes: Self.fixes(from: start, to: end), clock: [])
      start = end
    }
    let utc = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 34_200_000_000_000)
    try store.commit(
      chunks: [], fixes: [],
      clock: [ClockTable.Entry(boot: model[0].clock.first, utc: utc, source: .satellites)])
    session = model[0].session
    try store.end(session: session, at: start.advanced(bySeconds: Self.secondsPerChunk))
    try store.close()
    self.path = path
    chunks = ids
    let reader = try StoreReader(path: path)
    payload = try ids.reduce(0) { $0 + (try reader.bytes(ofChunk: $1).count) }
  }

  /// Returns the chunk with this number: a copy of a model chunk, shifted to a later time.
  private static func chunk(_ number: Int, of model: [Chunk]) -> Chunk {
    var chunk = model[number % model.count]
    let round = number / model.count
    let rounds = model.count / 2
    let later = Double(round * rounds) * secondsPerChunk
    chunk.id = .random()
    chunk.sequence += UInt32(round * rounds)
    chunk.clock.first = chunk.clock.first.advanced(bySeconds: later)
    let samples = UInt32(round * rounds * Chunk.capacity)
    chunk.counters = chunk.counters.map { $0 &+ samples }
    let nanoseconds = Int64(later * 1e9)
    chunk.arrivals = chunk.arrivals.map { BootTime(nanoseconds: $0.nanoseconds + nanoseconds) }
    return chunk
  }

  private static func fixes(from start: BootTime, to end: BootTime) -> [Fix] {
    stride(from: 0, to: end.seconds(since: start), by: secondsPerFix).map { second in
      Fix(
        arrival: start.advanced(bySeconds: second),
        utc: UTCTime(
          nanoseconds: 1_777_887_000_000_000_000 + start.nanoseconds + Int64(second * 1e9)),
        latitude: 50.083 + second * 1.2e-5, longitude: 14.411 + second * 0.7e-5)
    }
  }
}
