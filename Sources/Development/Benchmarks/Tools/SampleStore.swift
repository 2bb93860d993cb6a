internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// A store with one session that resembles a walk. All chunks except the last ones are full. The
/// session has two boards with acceleration and angular velocity at 100 Hz, and one fix per second.
final class SampleStore {
  let path: String
  private let folder: TemporaryFolder

  /// Creates a store with exactly this number of samples in four streams.
  init(samples: Int) throws {
    folder = try TemporaryFolder(prefix: "footbridge-bench")
    path = folder.path + "/store.sqlite"
    let session = Session(
      bootID: UniqueID(high: 1, low: 1), start: BootTime(nanoseconds: 1_000_000_000_000),
      note: "bench")
    var store = try Store.open(path: path)
    try store.begin(session)
    var streams = try Self.boards.flatMap { board in
      try store.addBoard(board, session: session.id)
      return try Self.signals.map { signal in
        try store.addStream(signal, board: board.address, session: session.id)
        return SampleStream(session, board, signal)
      }
    }
    let utc = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 34_200_000_000_000)
    try store.commit(
      chunks: [], fixes: [],
      clock: [ClockTable.Entry(boot: session.start, utc: utc, source: .satellites)])
    var left = samples
    var fixes = 0
    while left > 0 {
      var chunks: [Chunk] = []
      for index in streams.indices where left > 0 {
        // The last samples are distributed among the streams so that the total is exact.
        let count = min(
          Chunk.capacity, (left + streams.count - index - 1) / (streams.count - index))
        chunks.append(streams[index].chunk(of: count))
        left -= count
      }
      let seconds = Int((chunks[0].times.last ?? session.start).seconds(since: session.start))
      try store.commit(
        chunks: chunks, fixes: (fixes..<max(fixes, seconds)).map { Self.fix($0, session, utc) },
        clock: [])
      fixes = max(fixes, seconds)
    }
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 1))
    try store.close()
  }

  private static let boards = [0xc84b_aa97_5005, 0xd201_0000_00ff].map {
    BoardIdentity(
      address: BoardAddress(value: $0), name: "MetaWear", model: "MetaMotion S", firmware: "1.7.2")
  }

  private static let signals = [
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted),
    StreamDescription(
      signal: "angular_velocity", unit: "deg/s", countsPerUnit: 16.4, rate: 100,
      lossAccounting: .counted),
  ]

  private static func fix(_ second: Int, _ session: Session, _ utc: UTCTime) -> Fix {
    Fix(
      arrival: session.start.advanced(bySeconds: Double(second) + 0.2),
      utc: UTCTime(nanoseconds: utc.nanoseconds + Int64(second) * 1_000_000_000),
      latitude: 50.083 + Double(second) * 1.2e-5, longitude: 14.411 + Double(second) * 0.7e-5,
      altitudeMSL: 181.2, geoidSeparation: 44.5, hdop: 0.8, satellites: 11,
      isThreeDimensional: true)
  }
}

/// A stream that generates its own chunks: a gait of two steps per second, with sensor noise.
private struct SampleStream {
  private let session: Session
  private let board: BoardIdentity
  private let description: StreamDescription
  private var sequence: UInt32 = 0
  private var taken: UInt32 = 0
  private var noise: UInt64

  init(_ session: Session, _ board: BoardIdentity, _ description: StreamDescription) {
    self.session = session
    self.board = board
    self.description = description
    noise = board.address.value | 1
  }

  mutating func chunk(of count: Int) -> Chunk {
    let period = 1e9 / description.rate
    let first = session.start.advanced(bySeconds: Double(taken) / description.rate)
    let counters = (0..<count).map { taken + UInt32($0) }
    var columns: [[Int32]] = []
    for axis in 0..<description.axisCount {
      columns.append(
        counters.map { counter in
          noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          // A triangle wave with a period of half a second needs as many bits as a sine wave.
          let phase = (Int(counter) + 13 * axis) % 50
          let swing = (phase < 25 ? phase : 50 - phase) * 240 - 3_000
          return Int32(swing + Int(noise >> 58) - 32)
        })
    }
    let chunk = Chunk(
      id: .random(), session: session.id, bootID: session.bootID, board: board,
      stream: description, sequence: sequence, clock: Chunk.Clock(first: first, period: period),
      counters: counters,
      arrivals: (0..<count).map { first.advanced(bySeconds: Double($0 | 1) / description.rate) },
      columns: columns, gaps: [], fixes: [])
    sequence += 1
    taken += UInt32(count)
    return chunk
  }
}
