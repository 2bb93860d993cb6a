public import Recording
public import Storage
public import Values

/// Creates small chunks that differ only in the given values.
public enum SampleChunk {
  /// Returns the chunk at this position of a stream. Its id is derived from the session and the
  /// position.
  public static func make(
    _ sequence: UInt32, session: UniqueID = UniqueID(high: 1, low: 1), value: Int32 = 0
  ) -> Chunk {
    let start = Int64(sequence) * 100_000_000 + 60_000_000_000
    return Chunk(
      id: UniqueID(high: session.low, low: UInt64(sequence) + 1), session: session,
      bootID: UniqueID(high: 2, low: 2),
      board: BoardIdentity(
        address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
        firmware: "1.7.2"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100,
        lossAccounting: .counted),
      sequence: sequence,
      clock: Chunk.Clock(first: BootTime(nanoseconds: start), period: 10_000_000),
      counters: (0..<10).map { sequence * 10 + $0 },
      arrivals: (0..<10).map { BootTime(nanoseconds: start + Int64($0) * 10_000_000) },
      columns: [0, 1, 2].map { axis in (0..<10).map { value + Int32($0 * 7 + axis) } },
      gaps: [], fixes: [])
  }

  /// The session to which these chunks belong.
  public static let session = Session(
    id: UniqueID(high: 1, low: 1), bootID: UniqueID(high: 2, low: 2),
    start: BootTime(nanoseconds: 60_000_000_000), end: nil)

  /// Creates a new store with the session of these chunks, its board and its stream. The session is
  /// open.
  public static func store(_ path: String) throws -> Store {
    var store = try Store.open(path: path)
    let first = make(0)
    try store.begin(session)
    try store.addBoard(first.board, session: session.id)
    try store.addStream(first.stream, board: first.board.address, session: session.id)
    return store
  }

  /// Returns a chunk of a few hundred bytes with the largest permitted number of samples and fixes.
  public static func dense(_ sequence: UInt32) -> Chunk {
    var chunk = make(sequence)
    let count = 1 << 16
    chunk.counters = (0..<UInt32(count)).map { $0 }
    chunk.arrivals = Array(repeating: chunk.arrivals[0], count: count)
    chunk.columns = Array(repeating: Array(repeating: 0, count: count), count: 3)
    chunk.fixes = Array(
      repeating: Fix(
        arrival: chunk.arrivals[0], utc: UTCTime(nanoseconds: 0), latitude: 0, longitude: 0),
      count: 1 << 17)
    return chunk
  }
}
