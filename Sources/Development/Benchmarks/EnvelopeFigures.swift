internal import Export
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// `bench envelope`: measures how long it takes to view an eight-hour session with two signals at
/// 100 Hz. The first view of each signal decodes all its chunks; the later views cover every zoom
/// level. Also measures the time to fill the cache in steps, and to add a sample to the live
/// columns.
public struct EnvelopeFigures {
  private static let seconds = 28_800.0
  private static let chunksPerSignal = 1_440
  private static let looks = 15

  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    guard arguments.isEmpty else {
      return BenchCommand.Outcome(
        complaint: ["error: 'bench envelope' takes no options", "       try 'bench --help'"],
        status: 2)
    }
    do {
      let folder = try TemporaryFolder(prefix: "footbridge-bench")
      var session = EnvelopeSession(path: folder.path + "/store.sqlite")
      try session.store(chunksPerSignal: chunksPerSignal)
      return BenchCommand.Outcome(output: try warming(session) + looks(session) + [live()])
    } catch {
      return BenchCommand.Outcome(complaint: ["error: \(error)"], status: 1)
    }
  }

  private static func warming(_ session: EnvelopeSession) throws -> [String] {
    let reader = try StoreReader(path: session.path)
    var cache = EnvelopeCache(store: session.path)
    var warming = EnvelopeWarming(session: session.session.id)
    var steps: [Double] = []
    var hasMore = true
    while hasMore {
      steps.append(try milliseconds { hasMore = try warming.step(reader, &cache) })
    }
    ChunkSummaryFile.remove(EnvelopeCache.path(ofStore: session.path))
    return [
      "filling the cache: \(steps.count) steps of \(spread(steps)) ms, "
        + "\(rounded(steps.reduce(0, +))) ms in total"
    ]
  }

  private static func looks(_ session: EnvelopeSession) throws -> [String] {
    let reader = try StoreReader(path: session.path)
    var cache = EnvelopeCache(store: session.path)
    var firsts: [Double] = []
    for signal in EnvelopeSession.signals {
      firsts.append(try milliseconds { try session.look(signal, 0, seconds, reader, &cache) })
    }
    var lines = ["first view of \(Int(seconds)) s: \(spread(firsts)) ms"]
    var random = SplitMix64(seed: 2)
    for span in [seconds, 20_000, 14_400, 7_200, 3_600, 1_800, 900, 300, 60, 6] {
      var times: [Double] = []
      for _ in 0..<looks {
        let from = Double.random(in: 0...seconds - span, using: &random)
        let signal = EnvelopeSession.signals[random.next() % 2 == 0 ? 0 : 1]
        times.append(
          try milliseconds { try session.look(signal, from, from + span, reader, &cache) })
      }
      lines.append("view of \(Int(span)) s: \(spread(times)) ms")
    }
    return lines
  }

  private static func live() -> String {
    var live = LiveColumns(streams: 20)
    let count = 5_000_000
    let time = milliseconds {
      for index in 0..<count {
        let value = Float(index & 255)
        live.add(SIMD4(value, -value, 0, 0), at: Double(index) / 2_000, stream: index % 20)
      }
    }
    return "live columns: \(rounded(time * 1e6 / Double(count))) ns per sample"
  }

  private static func milliseconds<Failure>(_ work: () throws(Failure) -> Void) throws(Failure)
    -> Double
  {
    let start = BootClock.now()
    try work()
    return BootClock.now().seconds(since: start) * 1_000
  }

  /// Formats the median, followed by the maximum in brackets.
  private static func spread(_ times: [Double]) -> String {
    let sorted = times.sorted()
    return "\(rounded(sorted[sorted.count / 2])) (\(rounded(sorted[sorted.count - 1])))"
  }

  private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// A stored session with two signals that resemble walking, so their extremes differ from column to
/// column.
private struct EnvelopeSession {
  let path: String
  let session = Session(
    bootID: UniqueID(high: 1, low: 1), start: BootTime(nanoseconds: 60_000_000_000), note: "bench")

  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "MetaWear", model: "MetaMotion S",
    firmware: "1.7.2")
  static let signals = [
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted),
    StreamDescription(
      signal: "angular_velocity", unit: "deg/s", countsPerUnit: 16.4, rate: 100,
      lossAccounting: .counted),
  ]
  private var random = SplitMix64(seed: 1)

  init(path: String) {
    self.path = path
  }

  mutating func store(chunksPerSignal count: Int) throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.add(Self.board, Self.signals, session: session.id)
    for start in stride(from: 0, to: count, by: 60) {
      var chunks: [Chunk] = []
      for sequence in start..<min(start + 60, count) {
        for signal in Self.signals { chunks.append(chunk(sequence, signal)) }
      }
      try store.commit(chunks: chunks, fixes: [], clock: [])
    }
    let seconds = Double(count * Chunk.capacity) / 100
    try store.end(session: session.id, at: session.start.advanced(bySeconds: seconds))
    try store.close()
  }

  func look(
    _ signal: StreamDescription, _ from: Double, _ to: Double, _ reader: borrowing StoreReader,
    _ cache: inout EnvelopeCache
  ) throws {
    let question = SessionEnvelope(
      session: session.id, board: Self.board.address, signal: signal.signal, from: from, to: to,
      columns: 600)
    let envelope = try question.read(from: reader, tail: StoreTail(store: path), cache: &cache)
    guard let envelope, (0..<600).allSatisfy({ envelope.hasValues(inColumn: $0) }) else {
      throw MeasurementError("a column from \(from) s to \(to) s has no samples")
    }
  }

  /// Returns a chunk of noisy one-second strides, in packets that arrive slightly late.
  private mutating func chunk(_ sequence: Int, _ stream: StreamDescription) -> Chunk {
    let period: Int64 = 10_000_000
    let first = session.start.nanoseconds + Int64(sequence * Chunk.capacity) * period
    let rows = 0..<Chunk.capacity
    var arrivals: [BootTime] = []
    for packet in 0..<Int64(Chunk.capacity / 2) {
      let late = Int64(random.next() % 2_000) * 1_000
      let arrival = BootTime(nanoseconds: first + 2 * packet * period + late)
      arrivals += [arrival, arrival]
    }
    var columns: [[Int32]] = []
    for axis in 0..<3 {
      columns.append(rows.map { ($0 / 50 % 2 == axis % 2 ? 8_000 : -4_000) + noise() })
    }
    return Chunk(
      id: .random(), session: session.id, bootID: session.bootID, board: Self.board,
      stream: stream, sequence: UInt32(sequence),
      clock: Chunk.Clock(first: BootTime(nanoseconds: first), period: Double(period)),
      counters: rows.map { UInt32(sequence * Chunk.capacity + $0) }, arrivals: arrivals,
      columns: columns, gaps: [], fixes: [])
  }

  private mutating func noise() -> Int32 {
    var sum = 0.0
    for _ in 0..<12 { sum += Double.random(in: -0.5..<0.5, using: &random) }
    return Int32(sum * 300)
  }
}
