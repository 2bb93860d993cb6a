import TestSupport
import Testing
@testable import Recording
import Values

/// Losses found by comparison with the board's own count, in a stream whose packets have no
/// numbers.
@Suite(.computation) struct ChunkerTallyTests {
  private static let rate = 400.0
  private static let period = 1e9 / rate

  private var stream: StreamDescription {
    var stream = StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: Self.rate,
      lossAccounting: .counted)
    stream.isTallied = true
    return stream
  }

  private func chunker() throws -> Chunker {
    let address = try #require(BoardAddress("C0:00:00:00:00:01"))
    return Chunker(
      session: .random(), bootID: .random(),
      board: BoardIdentity(address: address, name: "board", model: "", firmware: ""),
      stream: stream)
  }

  /// A recorder that receives a board's packets and the board's counts.
  private struct Recording {
    var chunker: Chunker
    var chunks: [Chunk] = []
    var truths: [Int] = []
    private var raw: UInt32 = 0

    init(_ chunker: Chunker) { self.chunker = chunker }

    mutating func take(_ sample: SimulatedArrivals.Sample) {
      let reading = Reading(board: 0, stream: 0, arrival: sample.arrival, counter: raw)
      if chunker.ends(before: reading) { seal() }
      raw += 1
      truths.append(sample.truth)
      if chunker.append(reading) == .full { seal() }
    }

    mutating func count(_ made: Int, at arrival: BootTime, isLast: Bool = false) {
      var reading = Reading(
        kind: .tally, board: 0, stream: 0, arrival: arrival, counter: UInt32(made))
      reading.x = isLast ? -1 : Int32(raw)
      chunker.tally(reading)
    }

    mutating func restart() {
      chunker.noteRestart()
      raw = 0
    }

    mutating func seal() {
      if let chunk = chunker.seal(fixes: []) { chunks.append(chunk) }
    }

    mutating func finish(at end: BootTime) {
      if let chunk = chunker.finish(at: end, fixes: []) { chunks.append(chunk) }
    }

    var lost: UInt64 { chunker.lost.values.reduce(0, +) }

    /// Returns the deviations from the true times in milliseconds. The first seconds and the delay
    /// that all packets share are excluded.
    func errors(after seconds: Double) -> [Double] {
      let times = chunks.flatMap { chunk in (0..<chunk.count).map { chunk.time(at: $0) } }
      let errors = zip(times, truths).map {
        (Double($0.nanoseconds) - Double($1) * ChunkerTallyTests.period) / 1e6
      }
      let later = errors.dropFirst(Int(seconds * ChunkerTallyTests.rate)).map(\.self)
      guard !later.isEmpty else { return [] }
      let middle = later.sorted()[later.count / 2]
      return later.map { abs($0 - middle) }
    }
  }

  /// Returns packets of three samples at 400 Hz.
  private func link(lost: Set<Int> = []) -> SimulatedArrivals {
    var link = SimulatedArrivals()
    link.samplesPerPacket = 3
    link.packetPeriod = 3 * Self.period
    link.stallRate = 0
    link.lost = lost
    return link
  }

  private func seeded() -> SeededGenerator {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    return SeededGenerator(seed: seed)
  }

  /// Feeds samples, together with the board's count once per second.
  private func play(_ samples: [SimulatedArrivals.Sample], into recording: inout Recording) {
    var due = samples[0].arrival
    for (place, sample) in samples.enumerated() {
      recording.take(sample)
      let isWhole =
        place + 1 == samples.count || samples[place + 1].arrival != sample.arrival
      guard isWhole, sample.arrival >= due else { continue }
      due = sample.arrival.advanced(bySeconds: 1)
      recording.count(sample.truth + 1, at: sample.arrival)
    }
  }

  @Test func `the losses of a four-second outage are counted exactly, and times stay correct`()
    throws
  {
    var random = seeded()
    for second in [2, 6, 20] {
      let first = second * 133
      let lost = Set(first..<first + 535)
      let samples = link(lost: lost).samples(40 * 133, using: &random)
      var recording = Recording(try chunker())
      play(samples, into: &recording)
      recording.finish(at: try #require(samples.last).arrival)
      #expect(recording.lost == 535 * 3)
      #expect(recording.chunker.estimatedLoss == 0)
      // The packets before the outage may have been late. A few samples are then dated before the
      // outage.
      let gap = try #require(recording.chunks.flatMap(\.gaps).max { $0.lost < $1.lost })
      #expect(gap.end.seconds(since: gap.start) > 3.9)
      let errors = recording.errors(after: 25)
      let wrong = errors.count { $0 > 2 }
      #expect(wrong * 100 <= errors.count)
    }
  }

  @Test
  func `a packet that seems to be lost just before an outage is counted as part of the outage`() {
    // Because of the link's connection events, the nine packets before the outage are late by
    // almost a packet period.
    let outage: Int64 = 2_812_500_000
    let packets = (0..<20).map { place in
      let arrival = Int64(place) * 7_500_000 + (place < 9 ? 0 : outage)
      return LossPlaces.Packet(
        number: UInt32(3 * place + 2), arrival: BootTime(nanoseconds: arrival), samples: 3)
    }
    let lateness = packets.indices.map { $0 < 9 ? 6.5e6 : Double(outage) }
    let pauses = (0...20).map { $0 == 9 ? Double(outage) : 7.5e6 }
    let losses = LossPlaces(
      1_125, among: packets, lateness: lateness, pauses: pauses, period: Self.period, isEnd: false)
    #expect(losses.places == [LossPlaces.Place(position: 9, samples: 1_125)])
  }

  @Test
  func `times are not too early, even if a chunk is sealed before the board reports its count`()
    throws
  {
    var random = seeded()
    for second in stride(from: 20.1, to: 25.1, by: 0.2) {
      // Outages of 0.35 s and two seconds, with 0.4 s between them.
      let first = Int(second * 133)
      let lost = Set(first..<first + 47).union(first + 100..<first + 367)
      let samples = link(lost: lost).samples(40 * 133, using: &random)
      var recording = Recording(try chunker())
      play(samples, into: &recording)
      let last = try #require(samples.last)
      recording.count(last.truth + 1, at: last.arrival)
      recording.finish(at: last.arrival)
      #expect(recording.lost == UInt64(lost.count) * 3)
      // A loss that the link's timing might explain is not counted until the board's report
      // arrives.
      #expect(recording.errors(after: 15).allSatisfy { $0 < 60 }, "\(second) s")
    }
  }

  @Test func `scattered lost packets are each counted once`() throws {
    var random = seeded()
    for _ in 0..<5 {
      let count = 60 * 133
      let lost = Set((0..<300).map { _ in Int.random(in: 1..<count - 20, using: &random) })
      let samples = link(lost: lost).samples(count, using: &random)
      var recording = Recording(try chunker())
      play(samples, into: &recording)
      recording.count(count * 3, at: try #require(samples.last).arrival)
      recording.finish(at: try #require(samples.last).arrival)
      #expect(recording.lost == UInt64(lost.count * 3))
      #expect(recording.chunker.estimatedLoss == 0)
    }
  }

  @Test func `a loss just before the end is counted when the board reports after the stop`() throws
  {
    var random = seeded()
    let samples = link().samples(20 * 133, using: &random)
    var recording = Recording(try chunker())
    play(samples, into: &recording)
    let end = try #require(samples.last).arrival.advanced(bySeconds: 1.4)
    recording.count(samples.count + 561, at: end)
    recording.finish(at: end)
    #expect(recording.lost == 561)
    #expect(recording.chunker.estimatedLoss == 0)
  }

  @Test
  func `samples lost before a reconnection are counted when the board reports its count again`()
    throws
  {
    var random = seeded()
    let lost = Set(1_330..<1_330 + 535)
    let samples = link(lost: lost).samples(1_330 + 535 + 60, using: &random)
    var recording = Recording(try chunker())
    // The board's reports in the last seconds were lost too.
    play(samples.filter { $0.truth < 1_330 * 3 }, into: &recording)
    for sample in samples where sample.truth >= 1_330 * 3 { recording.take(sample) }
    let last = try #require(samples.last)
    recording.chunker.noteLinkLost()
    recording.count(last.truth + 1, at: last.arrival.advanced(bySeconds: 2), isLast: true)
    recording.restart()
    let more = link().samples(2_000, using: &random).map { sample in
      SimulatedArrivals.Sample(
        truth: sample.truth,
        arrival: last.arrival.advanced(bySeconds: 1 + Double(sample.arrival.nanoseconds) / 1e9))
    }
    play(more, into: &recording)
    recording.finish(at: try #require(more.last).arrival)
    #expect(recording.chunker.lost[.link] == 535 * 3)
    let away = try #require(recording.chunker.lost[.disconnected])
    #expect((780...830).contains(away))
    // Samples that precede the new link are dated by their own arrival times.
    let errors = zip(
      recording.chunks.flatMap { chunk in (0..<chunk.count).map { chunk.time(at: $0) } },
      samples + more
    ).map { abs($0.0.seconds(since: $0.1.arrival)) }
    #expect(errors.count { $0 > 0.2 } * 50 <= errors.count)
  }

  @Test
  func `a board's report before a session's first sample reveals the earlier losses`()
    throws
  {
    var recording = Recording(try chunker())
    var random = seeded()
    var earlier = Reading(
      kind: .tally, board: 0, stream: 0, arrival: BootTime(nanoseconds: 900_000_000),
      counter: 90_000)
    earlier.x = 89_000
    recording.chunker.tally(earlier)
    let samples = link().samples(5 * 133, using: &random)
    for sample in samples {
      let reading = Reading(
        board: 0, stream: 0, arrival: sample.arrival, counter: 89_000 + UInt32(sample.truth))
      _ = recording.chunker.append(reading)
    }
    var later = earlier
    later.arrival = try #require(samples.last).arrival
    later.counter = 90_000 + UInt32(samples.count) + 30
    later.x = 89_000 + Int32(samples.count)
    recording.chunker.tally(later)
    recording.finish(at: later.arrival)
    #expect(recording.lost == 30)
  }

  @Test func `a board's count that is too high for the elapsed time is rejected`() throws {
    var random = seeded()
    let samples = link().samples(20 * 133, using: &random)
    var recording = Recording(try chunker())
    play(samples, into: &recording)
    let end = try #require(samples.last).arrival
    recording.count(samples.count + 5_000, at: end)
    recording.finish(at: end)
    #expect(recording.lost == 0)
  }

  @Test func `if a board keeps no count of its own, its losses are estimated`() throws {
    var random = seeded()
    let lost = Set(2_660..<2_660 + 400)
    let samples = link(lost: lost).samples(60 * 133, using: &random)
    var recording = Recording(try chunker())
    for (place, sample) in samples.enumerated() {
      recording.take(sample)
      if place.isMultiple(of: 399) { recording.count(0, at: sample.arrival) }
    }
    recording.finish(at: try #require(samples.last).arrival)
    #expect((1_197...1_203).contains(recording.lost))
    #expect(recording.chunker.estimatedLoss == recording.lost)
  }

  @Test func `after a counted stream stops, the number of samples missing at its end is known`()
    throws
  {
    for missing in [0, 60] {
      var stream = stream
      stream.isTallied = false
      let address = try #require(BoardAddress("C0:00:00:00:00:01"))
      var chunker = Chunker(
        session: .random(), bootID: .random(),
        board: BoardIdentity(address: address, name: "board", model: "", firmware: ""),
        stream: stream)
      var time = BootTime(nanoseconds: 1_000_000_000)
      for number in UInt32(0)..<1_000 {
        time = time.advanced(bySeconds: 1 / Self.rate)
        _ = chunker.append(Reading(board: 0, stream: 0, arrival: time, counter: number))
      }
      // The computer was busy for most of a second, so a pause alone does not prove a loss.
      let end = time.advanced(bySeconds: 0.8)
      chunker.tally(
        Reading(
          kind: .tally, board: 0, stream: 0, arrival: end, counter: UInt32(1_000 + missing)))
      _ = chunker.finish(at: end, fixes: [])
      #expect(chunker.lost.values.reduce(0, +) == UInt64(missing))
      #expect(chunker.estimatedLoss == 0)
    }
  }

  @Test func `samples lost at the beginning of a new link are counted once`() throws {
    var random = seeded()
    var recording = Recording(try chunker())
    let samples = link().samples(20 * 133, using: &random)
    play(samples, into: &recording)
    let last = try #require(samples.last)
    recording.chunker.noteLinkLost()
    recording.count(last.truth + 1, at: last.arrival.advanced(bySeconds: 0.4), isLast: true)
    recording.restart()
    // The sensors start half a second late, and no packet arrives in the first three seconds.
    let lost = Set(0..<400)
    let more = link(lost: lost).samples(20 * 133, using: &random).map { sample in
      SimulatedArrivals.Sample(
        truth: sample.truth,
        arrival: last.arrival.advanced(bySeconds: Double(sample.arrival.nanoseconds) / 1e9 - 0.5))
    }
    play(more, into: &recording)
    recording.finish(at: try #require(more.last).arrival)
    // The losses are half a second before the sensors started, and three seconds lost over the
    // radio.
    #expect((1_380...1_420).contains(recording.lost))
    #expect(recording.chunker.lost[.link, default: 0] < 20)
  }

  @Test func `a session counts only the losses between its start and its end`() throws {
    var recording = Recording(try chunker())
    for (made, received) in [(90_000, 89_000), (92_000, 89_400)] {
      var reading = Reading(
        kind: .tally, board: 0, stream: 0, arrival: BootTime(nanoseconds: Int64(made) * 10_000),
        counter: UInt32(made))
      reading.x = Int32(received)
      recording.chunker.tally(reading)
    }
    for number in UInt32(0)..<400 {
      _ = recording.chunker.append(
        Reading(
          board: 0, stream: 0,
          arrival: BootTime(nanoseconds: 1_000_000_000 + Int64(number) * 2_500_000),
          counter: 89_400 + number))
    }
    var last = Reading(
      kind: .tally, board: 0, stream: 0, arrival: BootTime(nanoseconds: 2_000_000_000),
      counter: 92_406)
    last.x = 89_800
    recording.chunker.tally(last)
    recording.finish(at: last.arrival)
    #expect(recording.lost == 6)
  }
}
