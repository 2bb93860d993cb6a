import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ChunkerTests {
  private static let period: Int64 = 10_000_000

  private func chunker(
    _ accounting: StreamDescription.LossAccounting = .counted, counterBits: Int = 32,
    rate: Double = 100
  ) -> Chunker {
    Chunker(
      session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(
        address: BoardAddress(value: 5), name: "n", model: "m", firmware: "1.7.2"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: rate,
        lossAccounting: accounting, counterBits: counterBits))
  }

  /// Returns sample `number`, which arrives as soon as it is measured.
  private func reading(_ number: UInt32, kind: Reading.Kind = .sample) -> Reading {
    Reading(
      kind: kind, board: 0, stream: 0,
      arrival: BootTime(nanoseconds: Int64(number) * Self.period + 1_000_000_000),
      counter: number, x: Int32(number), y: -1, z: 2)
  }

  private func sealed(_ chunker: inout Chunker) throws -> Chunk {
    let chunk = chunker.seal(fixes: [])
    return try #require(chunk)
  }

  @Test func `a chunk is full after exactly 2,000 samples, and the next chunk follows it`() throws {
    var chunker = chunker()
    var chunks: [Chunk] = []
    for number in 0..<UInt32(4_100) {
      let outcome = chunker.append(reading(number))
      #expect((outcome == .full) == (number % 2_000 == 1_999))
      if outcome == .full { chunks.append(try sealed(&chunker)) }
    }
    chunks.append(try sealed(&chunker))
    #expect(chunks.map(\.count) == [2_000, 2_000, 100])
    #expect(chunks.map(\.sequence) == [0, 1, 2])
    #expect(Set(chunks.map(\.id)).count == 3)
    #expect(chunks.flatMap(\.counters) == Array(0..<4_100))
    #expect(chunks.flatMap { $0.columns[0] } == Array(0..<4_100))
    #expect(chunks.allSatisfy { $0.columns.count == 3 && $0.gaps.isEmpty })
    let rest = chunker.seal(fixes: [])
    #expect(rest == nil)
  }

  /// Appends samples of a board that pauses after six seconds, each with its arrival time.
  private func append(
    _ count: UInt32, to chunker: inout Chunker, arrival: (UInt32) -> Double
  ) {
    for number in 0..<count {
      var reading = reading(number)
      reading.arrival = BootTime(nanoseconds: 1_000_000_000).advanced(bySeconds: arrival(number))
      _ = chunker.append(reading)
    }
  }

  @Test(arguments: [1.2, 1.9, 4, 30])
  func `if a board pauses and then continues its numbering, the pause is counted as a loss`(
    _ pause: Double
  ) throws {
    var chunker = chunker()
    append(1_000, to: &chunker) { Double($0) / 100 + ($0 < 600 ? 0 : pause) }
    #expect(chunker.lost == [.silent: UInt64((pause * 100).rounded())])
    #expect(chunker.estimatedLoss == chunker.lost[.silent])
    let chunk = try sealed(&chunker)
    #expect(chunk.gaps.count == 1)
    for place in [0, 599, 600, 999] {
      let error = chunk.time(at: place).seconds(since: chunk.arrivals[place])
      #expect(abs(error) < 0.02, "sample \(place)")
    }
  }

  @Test(arguments: [20, 2, 1.2])
  func `packets delayed by a link are not considered lost, however slowly the link catches up`(
    _ speed: Double
  ) throws {
    var chunker = chunker()
    append(1_900, to: &chunker) { number in
      let made = Double(number) / 100
      return number < 600 ? made : max(made, 8 + Double(number - 600) / 100 / speed)
    }
    #expect(chunker.lost.isEmpty)
  }

  @Test func `samples lost in an outage at the end of a recording are counted`() {
    var chunker = chunker()
    append(700, to: &chunker) { Double($0) / 100 + ($0 < 600 ? 0 : 4) }
    #expect(chunker.lost.isEmpty)
    _ = chunker.finish(at: BootTime(nanoseconds: 12_000_000_000), fixes: [])
    #expect(chunker.lost == [.silent: 400])
  }

  @Test
  func `an outage just before a new link is counted, and the times of later samples are correct`()
    throws
  {
    var chunker = chunker(.estimated)
    var chunks: [Chunk] = []
    /// Appends the samples with these true numbers, numbered as a decoder would number them.
    func take(_ truth: Range<UInt32>, less uncounted: UInt32) throws {
      for number in truth {
        var sample = reading(number)
        sample.counter = number - uncounted
        if chunker.append(sample) == .full { chunks.append(try sealed(&chunker)) }
      }
    }
    try take(0..<2_500, less: 0)
    try take(2_900..<2_975, less: 400)
    chunker.noteLinkLost()
    chunker.noteRestart()
    try take(3_225..<6_000, less: 3_225)
    let last = chunker.finish(at: reading(6_000).arrival, fixes: [])
    chunks.append(try #require(last))
    #expect(chunker.lost == [.link: 400, .disconnected: 250])
    for chunk in chunks {
      for place in 0..<chunk.count {
        let truth = reading(UInt32(chunk.columns[0][place])).arrival
        #expect(abs(chunk.time(at: place).seconds(since: truth)) < 0.001)
      }
    }
  }

  @Test func `the board's ticks are stored with the axes, if the stream has ticks`() throws {
    var description = StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100,
      lossAccounting: .estimated, hasBoardTicks: true)
    for hasTicks in [true, false] {
      description.hasBoardTicks = hasTicks
      var chunker = Chunker(
        session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
        board: BoardIdentity(
          address: BoardAddress(value: 5), name: "n", model: "m", firmware: "1.7.2"),
        stream: description)
      for number in 0..<UInt32(3) {
        var sample = reading(number)
        sample.w = Int32(bitPattern: .max - 1 &+ number)
        _ = chunker.append(sample)
      }
      let first = try sealed(&chunker)
      #expect(first.ticks == (hasTicks ? [.max - 1, .max, 0] : []))
      #expect(first.columns.count == 3)
      _ = chunker.append(reading(3))
      #expect(try sealed(&chunker).ticks == (hasTicks ? [0] : []))
    }
  }

  @Test
  func `a jump in the sample counter becomes a gap with an exact count, but seals no chunk`()
    throws
  {
    var chunker = chunker()
    let outcomes = [0, 1, 2, 6, 7].map { chunker.append(reading($0)) }
    #expect(outcomes == Array(repeating: .appended, count: 5))
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == [0, 1, 2, 6, 7])
    #expect(
      chunk.gaps == [
        Gap(
          start: reading(2).arrival, end: reading(6).arrival, lost: 3, isEstimate: false,
          reason: .link)
      ])
    #expect(chunker.lost == [.link: 3])
  }

  @Test func `sample numbering continues when the counter wraps around`() throws {
    var chunker = chunker()
    var before = reading(0)
    before.counter = .max - 1
    _ = chunker.append(before)
    var after = reading(3)
    after.counter = 1
    let outcome = chunker.append(after)
    #expect(outcome == .appended)
    #expect(chunker.lost == [.link: 2])
  }

  @Test func `a repeated or late sample is stored once`() throws {
    var chunker = chunker()
    for number in 0..<UInt32(4) { _ = chunker.append(reading(number)) }
    let outcomes = [3, 0, 2, 4].map { chunker.append(reading($0)) }
    #expect(outcomes == [.duplicate, .duplicate, .duplicate, .appended])
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == [0, 1, 2, 3, 4])
    #expect(chunker.lost.isEmpty)
  }

  @Test
  func `a jump in sample numbers is attributed to known losses first, and the rest to the link`() {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.note(lost: 4, reason: .overflow)
    chunker.note(lost: 2, reason: .malformed)
    _ = chunker.append(reading(10))
    #expect(chunker.lost == [.overflow: 4, .malformed: 2, .link: 3])
    // A known loss explains one jump, but not the next one.
    _ = chunker.append(reading(12))
    #expect(chunker.lost == [.overflow: 4, .malformed: 2, .link: 4])
  }

  @Test(arguments: [StreamDescription.LossAccounting.counted, .estimated])
  func `samples that arrive during a pause become one gap, and are counted but not stored`(
    _ accounting: StreamDescription.LossAccounting
  ) throws {
    var chunker = chunker(accounting)
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    for number in UInt32(100)..<2_350 { chunker.skip(reading(number)) }
    #expect(chunker.lost == [.paused: 2_250] && chunker.estimatedLoss == 0)
    for number in UInt32(2_350)..<2_400 { _ = chunker.append(reading(number)) }
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == Array(0..<100) + Array(2_350..<2_400))
    #expect(chunk.columns[0] == chunk.counters.map(Int32.init(bitPattern:)))
    #expect(
      chunk.gaps == [
        Gap(
          start: reading(99).arrival, end: reading(2_350).arrival, lost: 2_250, isEstimate: false,
          reason: .paused)
      ])
    let late = chunk.time(at: 149).seconds(since: reading(2_399).arrival)
    #expect(abs(late) < 0.001)
  }

  @Test func `samples that do not arrive during a pause are counted with a different reason`()
    throws
  {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    for number in [UInt32(3), 4, 6] { chunker.skip(reading(number)) }
    chunker.note(lost: 2, reason: .overflow)
    chunker.skip(reading(9))
    chunker.noteLinkLost()
    chunker.skip(reading(110))
    _ = chunker.append(reading(111))
    let lost: [LossReason: UInt64] = [.paused: 5, .link: 3, .overflow: 2, .disconnected: 100]
    #expect(chunker.lost == lost)
    let gaps = try sealed(&chunker).gaps
    #expect(Dictionary(uniqueKeysWithValues: gaps.map { ($0.reason, $0.lost) }) == lost)
    #expect(gaps.allSatisfy { $0.start == reading(0).arrival && $0.end == reading(111).arrival })
  }

  @Test func `a board that restarts during a pause continues with the correct number`() throws {
    var chunker = chunker()
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    for number in UInt32(100)..<200 { chunker.skip(reading(number)) }
    chunker.noteRestart()
    for number in UInt32(300)..<500 {
      var again = reading(number)
      again.counter -= 300
      if number < 400 { chunker.skip(again) } else { _ = chunker.append(again) }
    }
    #expect(chunker.lost == [.paused: 200, .restarted: 100])
    #expect(chunker.estimatedLoss == 100)
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == Array(0..<100) + Array(400..<500))
    #expect(chunk.lostCount == 300)
  }

  @Test func `a pause that lasts until the end is counted, even if no sample was stored`() throws {
    for kept in [UInt32(0), 50] {
      var chunker = chunker()
      for number in 0..<kept { _ = chunker.append(reading(number)) }
      for number in kept..<200 { chunker.skip(reading(number)) }
      let end = reading(200).arrival
      let finished = chunker.finish(at: end, fixes: [])
      let chunk = try #require(finished)
      #expect(chunk.count == Int(kept) && chunk.lostCount == UInt64(200 - kept))
      #expect(chunk.gaps.map(\.reason) == [.paused] && chunk.gaps.map(\.end) == [end])
      #expect(chunk.gaps[0].start == reading(kept == 0 ? 0 : kept - 1).arrival)
    }
  }

  @Test
  func `a sample is kept if a pause begins before its number is trusted`()
    throws
  {
    var chunker = chunker()
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    var ahead = reading(100)
    ahead.counter = 140
    _ = chunker.append(ahead)
    var next = reading(101)
    next.counter = 141
    chunker.skip(next)
    let finished = chunker.finish(at: next.arrival, fixes: [])
    let chunk = try #require(finished)
    #expect(chunk.counters == Array(0..<100) + [140])
    #expect(chunker.lost == [.link: 40, .paused: 1])
  }

  @Test func `a jump in sample numbers after a lost link is attributed to the lost link`() {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.noteLinkLost()
    _ = chunker.append(reading(101))
    _ = chunker.append(reading(103))
    #expect(chunker.lost == [.disconnected: 100, .link: 1])
  }

  @Test func `a link lost before the first sample does not explain a later jump in sample numbers`()
  {
    var chunker = chunker()
    chunker.noteLinkLost()
    chunker.noteRestart()
    _ = chunker.append(reading(0))
    _ = chunker.append(reading(3))
    #expect(chunker.lost == [.link: 2])
  }

  @Test func `samples lost at the end are counted, although no sample follows`() throws {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.note(lost: 7, reason: .overflow)
    let end = reading(0).arrival.advanced(bySeconds: 0.4)
    let finished = chunker.finish(at: end, fixes: [])
    let chunk = try #require(finished)
    #expect(chunk.gaps.map(\.lost) == [7])
    #expect(chunk.gaps.map(\.end) == [end])
    #expect(chunker.lost == [.overflow: 7])
  }

  @Test func `the missing samples of a board that never returned are estimated`() throws {
    var chunker = chunker()
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    chunker.noteLinkLost()
    let end = reading(599).arrival
    let last = chunker.finish(at: end, fixes: [])
    #expect(last?.gaps.map(\.reason) == [.disconnected])
    #expect(last?.gaps.first?.isEstimate == true)
    #expect((498...501).contains(chunker.lost[.disconnected] ?? 0))
    // The board was connected at the end, so no sample is missing.
    var whole = self.chunker()
    for number in 0..<UInt32(100) { _ = whole.append(reading(number)) }
    whole.noteLinkLost()
    whole.noteRestart()
    _ = whole.append(reading(100))
    let unbroken = whole.finish(at: reading(101).arrival, fixes: [])
    #expect(unbroken?.gaps.isEmpty == true)
  }

  @Test func `samples missing before the end are counted even if the link works`() {
    for (silent, lost) in [(30, 0...0), (49, 0...0), (60, 59...60), (200, 199...200)] {
      var chunker = chunker()
      for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
      let finished = chunker.finish(at: reading(UInt32(99 + silent)).arrival, fixes: [])
      #expect(lost.contains(Int(chunker.lost[.link] ?? 0)), "\(silent)")
      #expect(finished?.gaps.allSatisfy { $0.isEstimate } == true)
    }
    // At one sample every ten seconds, the next sample may still be in transit.
    var slow = self.chunker(rate: 0.1)
    for number in UInt32(0)..<10 { _ = slow.append(reading(number * 1_000, counted: number)) }
    _ = slow.finish(at: reading(11_900).arrival, fixes: [])
    #expect(slow.lost.isEmpty)
  }

  @Test
  func `if a board is lost after its last chunk, its losses are stored in a chunk without samples`()
    throws
  {
    var chunker = chunker()
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    let whole = try sealed(&chunker)
    chunker.noteLinkLost()
    let end = reading(599).arrival
    let finished = chunker.finish(at: end, fixes: [])
    let rest = try #require(finished)
    #expect(rest.count == 0 && rest.sequence == whole.sequence + 1)
    #expect(rest.gaps.map(\.reason) == [.disconnected])
    #expect((498...501).contains(rest.gaps[0].lost))
    #expect(rest.gaps[0].start == reading(99).arrival && rest.gaps[0].end == end)
  }

  @Test func `the losses of a stream that fell silent are counted until the end, with the reason`()
    throws
  {
    var chunker = chunker()
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    chunker.noteSilence(at: reading(400).arrival)
    let finished = chunker.finish(at: reading(599).arrival, fixes: [])
    #expect(finished?.gaps.map(\.reason) == [.silent])
    #expect((498...501).contains(chunker.lost[.silent] ?? 0))
    // A stop takes seconds. During this time the board loses no samples, and a sample may still
    // arrive.
    var late = self.chunker()
    for number in 0..<UInt32(100) { _ = late.append(reading(number)) }
    late.note(lost: 2, reason: .overflow)
    let stopped = late.finish(at: reading(90).arrival, fixes: [])
    #expect(stopped?.gaps.map(\.lost) == [2])
    #expect(stopped?.gaps.allSatisfy { $0.start <= $0.end } == true)
    // If a stream never sent a sample, its losses are counted from the time its silence was
    // detected.
    var dead = self.chunker()
    dead.noteSilence(at: reading(400).arrival)
    let never = dead.finish(at: reading(599).arrival, fixes: [])
    #expect(never?.gaps.map(\.reason) == [.silent])
    #expect((198...200).contains(dead.lost[.silent] ?? 0))
  }

  @Test
  func `losses of a stream that stays silent after a sensor restart are counted until the end`() {
    var chunker = chunker()
    for number in 0..<UInt32(100) { _ = chunker.append(reading(number)) }
    chunker.noteRestart()
    _ = chunker.finish(at: reading(599).arrival, fixes: [])
    #expect((498...501).contains(chunker.lost[.restarted] ?? 0))
  }

  @Test func `a corrupt number affects only its own sample, which is counted as lost`() throws {
    var chunker = chunker()
    for number in 0..<UInt32(1_000) {
      var sample = reading(number)
      if number == 600 { sample.counter ^= 1 << 17 }
      #expect(chunker.append(sample) == (number == 600 ? .spoiled : .appended))
    }
    let chunk = try sealed(&chunker)
    #expect(chunk.count == 999)
    #expect(chunker.lost == [.malformed: 1])
  }

  @Test(arguments: [1, 3])
  func `a flipped bit in a packet's number loses at most 30 ms and does not distort any time`(
    samplesInPacket: Int
  ) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the flipped bits: \(seed)")
    var random = SeededGenerator(seed: seed)
    let size = UInt32(samplesInPacket)
    for bit in UInt32(0)..<24 {
      let packets = 1_500 / size
      let spoiled = UInt32.random(in: 100..<(packets - 100), using: &random)
      // The link delivers packets in groups, one group every 30 ms.
      func samples(ofPacket packet: UInt32, number: UInt32) -> [Reading] {
        let last = Int64(packet * size + size - 1) * 10_000_000
        let turn = last - last % 30_000_000 + 30_000_000
        return (0..<size).map { index in
          var sample = reading(packet * size + index)
          sample.counter = number &* size &+ index
          sample.arrival = BootTime(nanoseconds: 5_000_000_000 + turn + Int64(packet))
          return sample
        }
      }
      var clean = chunker()
      var chunker = chunker()
      var stored: UInt64 = 0
      for packet in 0..<packets {
        for sample in samples(ofPacket: packet, number: packet) { _ = clean.append(sample) }
        let number = packet == spoiled ? packet ^ (1 << bit) : packet
        for sample in samples(ofPacket: packet, number: number) { _ = chunker.append(sample) }
      }
      let (truth, found) = (try sealed(&clean), try sealed(&chunker))
      stored += UInt64(found.count)
      let lost = chunker.lost.values.reduce(0, +)
      #expect(stored + lost == UInt64(truth.count), "bit \(bit), seed \(seed)")
      // If enough time has passed since the last connection event, the corrupt number is plausible.
      // The packets of this event are then lost.
      #expect((1...3).contains(truth.count - found.count), "bit \(bit), seed \(seed)")
      let end = found.time(at: found.count - 1).seconds(since: truth.time(at: truth.count - 1))
      #expect(abs(end) < 0.001, "bit \(bit), seed \(seed)")
    }
  }

  @Test
  func `an unrelated packet is not counted as a loss unless sample numbers are missing`() {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.note(lost: 2, reason: .malformed)
    _ = chunker.append(reading(1))
    #expect(chunker.lost.isEmpty)
    chunker.note(lost: 2, reason: .malformed)
    _ = chunker.append(reading(5))
    #expect(chunker.lost == [.malformed: 2, .link: 1])
  }

  @Test func `a loss in a stream without a counter is marked as an estimate`() throws {
    var chunker = chunker(.estimated)
    _ = chunker.append(reading(0))
    chunker.note(lost: 3, reason: .malformed)
    _ = chunker.append(reading(4))
    let chunk = try sealed(&chunker)
    #expect(chunk.gaps.map(\.isEstimate) == [true])
    #expect(chunker.lost == [.malformed: 3])
  }

  /// Returns sample `number`, which arrives as soon as it is measured. The board counts it as
  /// `counter`, since it restarted.
  private func reading(_ number: UInt32, counted counter: UInt32) -> Reading {
    var reading = reading(number)
    reading.counter = counter
    return reading
  }

  @Test func `after a lost connection, numbers continue in proportion to the elapsed time`() throws
  {
    var chunker = chunker()
    for number in 0..<UInt32(500) { _ = chunker.append(reading(number)) }
    chunker.noteLinkLost()
    chunker.noteRestart()
    for number in UInt32(800)..<900 {
      let outcome = chunker.append(reading(number, counted: number - 800))
      #expect(outcome == .appended)
    }
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == Array(0..<500) + Array(800..<900))
    #expect(
      chunk.gaps == [
        Gap(
          start: reading(499).arrival, end: reading(800).arrival, lost: 300, isEstimate: true,
          reason: .disconnected)
      ])
    // The line through the sample numbers follows the time across the gap.
    let times = (0..<chunk.count).map(chunk.time(at:))
    #expect(abs(times[599].nanoseconds - reading(899).arrival.nanoseconds) < 1_000_000)
  }

  @Test func `the restart of a board without a lost link is counted with a different reason`() {
    var chunker = chunker()
    _ = chunker.append(reading(1_000))
    chunker.noteRestart()
    // The board may also restart with a higher number than before.
    _ = chunker.append(reading(1_051, counted: 90_000))
    _ = chunker.append(reading(1_053, counted: 90_002))
    #expect(chunker.lost == [.restarted: 50, .link: 1])
  }

  @Test func `losses recorded before a board restarts are not counted again after the restart`()
    throws
  {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.note(lost: 20, reason: .overflow)
    chunker.noteRestart()
    _ = chunker.append(reading(51, counted: 0))
    #expect(chunker.lost == [.overflow: 20, .restarted: 30])
    let chunk = try sealed(&chunker)
    #expect(chunk.gaps.map(\.isEstimate) == [false, true])
    #expect(chunker.estimatedLoss == chunk.gaps[1].lost)
    // The known losses used up numbers, even if no time appears to have passed.
    chunker.note(lost: 500, reason: .overflow)
    chunker.noteRestart()
    _ = chunker.append(reading(52, counted: 0))
    #expect(chunker.lost == [.overflow: 520, .restarted: 30])
    #expect(try sealed(&chunker).counters == [552])
  }

  @Test func `the restart of a board before its first sample has no effect`() throws {
    var chunker = chunker()
    chunker.noteRestart()
    _ = chunker.append(reading(7))
    _ = chunker.append(reading(8))
    #expect(try sealed(&chunker).counters == [7, 8])
    #expect(chunker.lost.isEmpty)
  }

  @Test func `sample numbers never decrease, whatever the board does`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var chunker = chunker()
    var counters: [UInt32] = []
    var number: UInt32 = 0
    var counter: UInt32 = 0
    for _ in 0..<4_000 {
      number += .random(in: 1...3, using: &random)
      counter &+= .random(in: 0...3, using: &random)
      if Int.random(in: 0..<50, using: &random) == 0 {
        if Bool.random(using: &random) { chunker.noteLinkLost() }
        chunker.noteRestart()
        counter = .random(in: .min ... .max, using: &random)
        number += .random(in: 0...2_000, using: &random)
      }
      if chunker.append(reading(number, counted: counter)) == .full {
        counters += try sealed(&chunker).counters
      }
    }
    counters += try sealed(&chunker).counters
    #expect(zip(counters, counters.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
    let lost = chunker.lost.values.reduce(0, +)
    #expect(
      UInt64(counters.count) + lost == UInt64((counters.last ?? 0) - (counters.first ?? 0)) + 1)
  }

  @Test func `in a stream without a counter, a lost packet shifts the numbers after it`() throws {
    var chunker = chunker(.estimated)
    var arrived: UInt32 = 0
    for number in 0..<UInt32(6_000) where !(3_000..<3_003).contains(number) {
      // The three samples of a packet arrive together at the connection event after the last
      // sample.
      var sample = reading(number / 3 * 3 + 2, counted: arrived)
      let ready = sample.arrival.nanoseconds / 1_000 * 1_003
      sample.arrival.nanoseconds = (ready + 7_499_999) / 7_500_000 * 7_500_000
      arrived += 1
      if chunker.append(sample) == .full, arrived == 4_000 {
        let chunk = try sealed(&chunker)
        #expect(chunk.counters.last == 4_002)
        try #require(chunk.gaps.map(\.lost) == [3])
        try #require(chunk.gaps.map(\.isEstimate) == [true])
        try #require(chunk.gaps.map(\.reason) == [.link])
        // The gap covers the loss, within the precision of the board's clock and of the connection
        // events.
        #expect(chunk.gaps[0].start < reading(3_020).arrival)
        #expect(chunk.gaps[0].end > reading(3_000).arrival)
        #expect(chunk.gaps[0].start < chunk.gaps[0].end)
      } else if arrived == 2_000 {
        #expect(try sealed(&chunker).gaps.isEmpty)
      }
    }
    #expect(chunker.lost == [.link: 3])
  }

  @Test(arguments: [UInt32(300), 400, 700, 1_000, 2_100, 2_700])
  func `after a loss that is found late, the samples get the correct numbers and times`(
    _ lost: UInt32
  ) throws {
    var chunker = chunker(.estimated)
    var sent: [UInt32] = []
    var chunks: [Chunk] = []
    func taken(_ number: UInt32) -> Int64 { reading(number).arrival.nanoseconds / 1_000 * 1_003 }
    for number in 0..<UInt32(4_040) where !(lost..<lost + 40).contains(number) {
      var sample = reading(number, counted: UInt32(sent.count))
      sample.arrival.nanoseconds = (taken(number) + 7_499_999) / 7_500_000 * 7_500_000
      sent.append(number)
      if chunker.append(sample) == .full { chunks.append(try sealed(&chunker)) }
    }
    #expect(chunker.lost == [.link: 40])
    let gap = try #require(chunks.flatMap(\.gaps).first)
    #expect(gap.start.nanoseconds <= taken(lost) && gap.end.nanoseconds >= taken(lost + 40))
    #expect(gap.end.seconds(since: gap.start) < 1.5)
    // It is not known where in the gap the loss occurred.
    var wrong = 0
    for (sample, number) in zip(chunks.flatMap { zip($0.counters, $0.times) }, sent)
    where !(gap.start.nanoseconds...gap.end.nanoseconds).contains(taken(number)) {
      if sample.0 != number || abs(sample.1.nanoseconds - taken(number)) > 10_000_000 { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func `if a board sends timestamps, a lost sample is found despite any jitter`()
    throws
  {
    var chunker = Chunker(
      session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(
        address: BoardAddress(value: 5), name: "n", model: "m", firmware: "1.7.2"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100,
        lossAccounting: .estimated, hasBoardTicks: true))
    var arrived: UInt32 = 0
    for number in 0..<UInt32(6_000) where number != 3_000 {
      // All waiting samples arrive together, once per second.
      var sample = reading((number / 100 + 1) * 100, counted: arrived)
      let seconds = Double(number) * 0.0101
      sample.w = Int32(
        bitPattern: .max - 1_000 &+ UInt32(seconds / StreamDescription.secondsPerBoardTick))
      arrived += 1
      if chunker.append(sample) == .full { _ = try sealed(&chunker) }
    }
    #expect(chunker.lost == [.link: 1])
  }

  @Test func `the loss of a full cycle of a narrow counter is found by timing`() throws {
    var chunker = chunker(counterBits: 8)
    var last: UInt32?
    for number in 0..<UInt32(6_000) where !(3_000..<3_600).contains(number) {
      // The decoder knows only the last byte of the board's number and assumes the next number that
      // ends in this byte.
      let counter = last.map { $0 + (number &- $0) & 0xff } ?? number
      last = counter
      if chunker.append(reading(number, counted: counter)) == .full { _ = try sealed(&chunker) }
    }
    let chunk = try sealed(&chunker)
    // The numbers reveal 88 lost samples. Two full cycles of the counter were lost in addition.
    #expect(chunker.lost == [.link: 600])
    #expect(chunk.counters.last == 5_999)
  }

  @Test
  func `a stall of the link is not mistaken for the loss of a full cycle of a narrow counter`()
    throws
  {
    var chunker = chunker(counterBits: 8)
    for number in 0..<UInt32(6_000) {
      // No packet arrives for five seconds, and then all arrive at once.
      let late = (3_000..<3_500).contains(number) ? 3_500 : number
      if chunker.append(reading(late, counted: number)) == .full { _ = try sealed(&chunker) }
    }
    #expect(chunker.lost.isEmpty)
  }

  @Test func `times are evenly spaced within a chunk, and increase from one chunk to the next`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var chunker = chunker()
    var times: [BootTime] = []
    for number in 0..<UInt32(9_000) {
      var late = reading(number)
      // The board is 0.4 % fast, and packets wait up to 60 ms.
      late.arrival.nanoseconds =
        Int64(Double(number) * 9_960_000) + Int64.random(in: 0...60_000_000, using: &random)
      if chunker.append(late) == .full || number == 8_999 {
        let chunk = try sealed(&chunker)
        times += (0..<chunk.count).map(chunk.time(at:))
      }
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    // The line is defined by the earliest arrivals. Each half second contains a packet with almost
    // no delay.
    for number in 4_000..<9_000 {
      let truth = Double(number) * 9_960_000
      #expect(abs(Double(times[number].nanoseconds) - truth) < 5_000_000, "seed \(seed)")
    }
  }

  @Test func `after a board reboots, its clock restarts, but times do not run backwards`() throws {
    var chunker = chunker()
    for number in 0..<UInt32(1_500) { _ = chunker.append(reading(number)) }
    chunker.noteRestart()
    let before = try sealed(&chunker)
    // The samples after the reboot are shifted by a third of a period, relative to the earlier
    // grid.
    for number in UInt32(1_700)..<2_900 {
      var shifted = reading(number, counted: number - 1_700)
      shifted.arrival.nanoseconds += 3_300_000
      _ = chunker.append(shifted)
    }
    let after = try sealed(&chunker)
    #expect(before.time(at: before.count - 1) < after.time(at: 0))
    for index in [0, 600, 1_199] {
      let truth = reading(1_700 + UInt32(index)).arrival.nanoseconds + 3_300_000
      #expect(abs(after.time(at: index).nanoseconds - truth) < 100_000)
    }
  }
}
