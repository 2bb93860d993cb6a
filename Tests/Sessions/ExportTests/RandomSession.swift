import Foundation
import Recording
import TestSupport
import Values

/// A session with several boards and streams, in which samples are lost and chunks are missing. The
/// numbers of its samples agree with their times, as in every session that a recorder stores.
struct RandomSession {
  private(set) var source = MemorySource()
  /// The stored samples of each stream, in order.
  private(set) var samples: [[(time: BootTime, values: [Double])]] = []
  /// The number of lost samples in each stream.
  private(set) var lost: [Int] = []
  /// The sample numbers of each stream's stored samples. A step of more than 1 is a gap.
  private(set) var numbers: [[UInt32]] = []

  private static let kinds = [
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100, lossAccounting: .counted),
    StreamDescription(
      signal: "angular_velocity", unit: "deg/s", countsPerUnit: 16.4, rate: 50,
      lossAccounting: .counted),
    StreamDescription(
      signal: "linear_acceleration", unit: "m/s²", axes: ["x", "y"], rawForm: .float,
      countsPerUnit: 1, rate: 25, lossAccounting: .estimated),
    StreamDescription(
      signal: "pressure", unit: "Pa", axes: ["value"], countsPerUnit: 256, rate: 2,
      lossAccounting: .estimated),
  ]
  private static let names = ["left", "", "a,\"b\"\r\nc", "left", "Fuß; 100 %", "n/a"]

  /// Creates a session of a few boards, each with a few streams.
  init(using random: inout SeededGenerator) {
    for board in 0..<Int.random(in: 1...3, using: &random) {
      let identity = BoardIdentity(
        address: BoardAddress(value: 0xc84b_aa97_5000 + UInt64(board)),
        name: Self.names.randomElement(using: &random) ?? "", model: "MetaMotion S",
        firmware: "1.7.2")
      let kinds = Self.kinds.shuffled(using: &random).prefix(.random(in: 1...4, using: &random))
      for kind in kinds { add(kind, of: identity, using: &random) }
    }
    if random.unit() < 0.5 {
      source.clock = [
        ClockTable.Entry(
          boot: source.session.start, utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
          source: .satellites)
      ]
    }
    for second in 0..<Int.random(in: 0...20, using: &random) {
      source.track.append(source.fix(Double(second), 50 + Double(second) * 1e-5, 14))
    }
  }

  private mutating func add(
    _ kind: StreamDescription, of board: BoardIdentity, using random: inout SeededGenerator
  ) {
    var number = UInt32.random(in: .min ... .max, using: &random)
    var first = source.session.start.advanced(bySeconds: .random(in: -0.2...1, using: &random))
    var chunks: [Chunk] = []
    var found: [(BootTime, [Double])] = []
    var (counted, present) = (0, [UInt32]())
    var former: UInt32?
    for sequence in 0..<UInt32.random(in: 1...4, using: &random) {
      // Two boards never count at exactly the same rate.
      let period = 1e9 / kind.rate * .random(in: 0.99...1.01, using: &random)
      var counters: [UInt32] = []
      for _ in 0..<Int.random(in: 1...150, using: &random) {
        counters.append(number)
        number &+= random.unit() < 0.02 ? .random(in: 2...40, using: &random) : 1
      }
      var chunk = Chunk(
        id: .random(), session: source.session.id, bootID: source.session.bootID, board: board,
        stream: kind, sequence: sequence, clock: Chunk.Clock(first: first, period: period),
        counters: counters, arrivals: [],
        columns: (0..<kind.axisCount).map { _ in
          counters.map { _ in
            let value = 1_000 * random.gaussian()
            return kind.rawForm == .float
              ? Int32(bitPattern: Float(value).bitPattern) : Int32(value)
          }
        }, gaps: [], fixes: [])
      chunk.arrivals = chunk.times
      let gap = chunk.time(at: chunk.count - 1)
      // Some boards lose their link between two chunks.
      if random.unit() < 0.3 { number &+= .random(in: 1...500, using: &random) }
      first = gap.advanced(
        bySeconds: Double(number &- (counters.last ?? number)) * period * 1e-9)
      guard sequence == 0 || random.unit() < 0.85 else { continue }
      for (row, time) in chunk.times.enumerated() {
        let steps = former.map { Int(counters[row] &- $0) - 1 } ?? 0
        if steps > 0 {
          counted += steps
          chunk.gaps.append(
            Gap(
              start: time, end: time, lost: UInt64(steps), isEstimate: false, reason: .link))
        }
        former = counters[row]
        found.append((time, (0..<kind.axisCount).map { kind.value(of: chunk.columns[$0][row]) }))
      }
      present += counters
      chunks.append(chunk)
    }
    if random.unit() < 0.3 { counted += loseTheEnd(of: &chunks, using: &random) }
    source.described.append(
      SourceStream(board: board, description: kind, sampleCount: found.count))
    source.chunks.append(chunks)
    samples.append(found.map { (time: $0.0, values: $0.1) })
    lost.append(counted)
    numbers.append(present)
  }

  /// Adds losses after the last sample, which a recorder stores in a chunk without samples. Returns
  /// their number.
  private func loseTheEnd(of chunks: inout [Chunk], using random: inout SeededGenerator) -> Int {
    guard let last = chunks.last else { return 0 }
    let count = Int.random(in: 1...300, using: &random)
    let start = last.time(at: last.count - 1)
    var chunk = last
    chunk.id = .random()
    chunk.sequence += 1
    (chunk.counters, chunk.arrivals) = ([], [])
    chunk.columns = chunk.columns.map { _ in [] }
    chunk.clock.first = start
    chunk.gaps = [
      Gap(
        start: start, end: start.advanced(bySeconds: Double(count) / last.stream.rate),
        lost: UInt64(count), isEstimate: true, reason: .disconnected)
    ]
    chunks.append(chunk)
    return count
  }
}
