import Recording
import Storage
import TestSupport
import Values

/// A session with one stream, as a recorder would store it. It has chunks of any size, changing
/// clock fits, gaps, losses and missing chunks.
struct RandomRecording {
  var session = Session(
    id: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 5_000_000_123))
  let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  let stream: StreamDescription
  private(set) var chunks: [Chunk] = []
  /// The end of the last sample, in seconds since the start of the session.
  private(set) var seconds = 0.0

  private static let streams = [
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100,
      lossAccounting: .counted),
    StreamDescription(
      signal: "temperature", unit: "°C", axes: ["value"], countsPerUnit: 8, rate: 1,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "euler", unit: "°", axes: ["heading", "pitch"], rawForm: .float, countsPerUnit: 1,
      rate: 100, lossAccounting: .estimated),
    StreamDescription(
      signal: "quaternion", unit: "1", axes: ["w", "x", "y", "z"], countsPerUnit: -16.4, rate: 50,
      lossAccounting: .counted),
  ]

  /// Creates a recording of this many chunks and omits some of them.
  init(chunks count: Int, using random: inout SeededGenerator) {
    stream = Self.streams.randomElement(using: &random) ?? Self.streams[0]
    let isLong = random.unit() < 0.3
    var counter = UInt32.random(in: .min ... .max, using: &random)
    var time = Double.random(in: -0.5...3, using: &random)
    var level = [Double](repeating: 0, count: stream.axisCount)
    var last = time
    for sequence in 0..<UInt32(count) {
      let size =
        isLong && random.unit() < 0.7 ? Chunk.capacity : Int.random(in: 1...300, using: &random)
      let period = 1 / stream.rate * .random(in: 0.99...1.01, using: &random)
      var gaps: [Gap] = []
      if random.unit() < 0.2 {
        // The board was out of range, or the clock was refitted. In the latter case, a chunk may
        // start slightly before the end of the previous one.
        let isAway = random.unit() < 0.5
        time += .random(in: isAway ? 0...100 : -0.3...0, using: &random)
        if isAway {
          gaps.append(
            Gap(
              start: instant(last), end: instant(time), lost: 1 + random.next() % 100,
              isEstimate: random.unit() < 0.5,
              reason: LossReason.allCases.randomElement(using: &random) ?? .link))
        }
      }
      let first = instant(time)
      var counters: [UInt32] = []
      let origin = counter
      for _ in 0..<size {
        counters.append(counter)
        counter &+= random.unit() < 0.005 ? .random(in: 2...40, using: &random) : 1
      }
      var chunk = Chunk(
        id: .random(), session: session.id, bootID: session.bootID, board: board, stream: stream,
        sequence: sequence, clock: Chunk.Clock(first: first, period: period * 1e9),
        counters: counters, arrivals: [], columns: [], gaps: gaps, fixes: [])
      chunk.arrivals = chunk.times
      for axis in level.indices {
        chunk.columns.append(
          counters.map { _ in
            level[axis] += random.gaussian()
            return raw(random.unit() < 0.002 ? 1_000 * random.gaussian() : level[axis], &random)
          })
      }
      last = seconds(chunk.times[size - 1])
      time += Double(counter &- origin) * period
      if random.unit() < 0.95 { chunks.append(chunk) }
    }
    seconds = max(time, 1)
  }

  /// Returns a raw value. Some of the floating-point values are NaN.
  private func raw(_ value: Double, _ random: inout SeededGenerator) -> Int32 {
    guard stream.rawForm == .float else { return Int32(value * 10) }
    let float = random.unit() < 0.01 ? [.nan, .infinity, -0.0][Int(random.next() % 3)] : value
    return Int32(bitPattern: Float(float).bitPattern)
  }

  private func instant(_ seconds: Double) -> BootTime { session.start.advanced(bySeconds: seconds) }

  private func seconds(_ time: BootTime) -> Double { time.seconds(since: session.start) }

  /// Stores the first `count` chunks of the recording.
  func store(at path: String, chunks count: Int = .max) throws -> Store {
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.add(board, [stream], session: session.id)
    try store.commit(chunks: Array(chunks.prefix(count)), fixes: [], clock: [])
    return store
  }

  /// Returns a query for the envelope of a random part of the recording, at a random zoom.
  func question(using random: inout SeededGenerator) -> SessionEnvelopeStretch {
    let columns = Int.random(in: 1...700, using: &random)
    switch random.unit() {
    case ..<0.3: return SessionEnvelopeStretch(from: 0, to: seconds, columns: columns)
    case ..<0.4: return SessionEnvelopeStretch(from: -1e6, to: 1e6, columns: columns)
    default:
      let from = Double.random(in: -2...seconds, using: &random)
      let length = seconds * Double([0.001, 0.03, 0.3, 1].randomElement(using: &random) ?? 1)
      return SessionEnvelopeStretch(
        from: from, to: from + length * random.unit(), columns: columns)
    }
  }
}

/// A time range, and the columns into which it is divided.
struct SessionEnvelopeStretch {
  var from: Double
  var to: Double
  var columns: Int
}
