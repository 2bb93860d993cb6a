internal import Values

/// Infers losses from timing in a stream whose numbering does not show them.
///
/// Packets arrive late, never early, and mostly in order. The smallest lateness of each half
/// second, relative to a line at the board's true rate, is therefore steady. A packet that never
/// arrives raises it permanently by one packet's period. A stall also raises it, but only until the
/// delayed packets arrive. A loss is accepted when the lateness has remained high for `patience`.
///
/// The line, which shows the lateness without losses, is the lower edge of the last `memory` half
/// seconds: a delayed packet is above it and does not move it. No loss is inferred while the line's
/// rate deviates from the configured rate by more than a board's rate can deviate. The line must
/// not span a step in the lateness. Until the first line is long enough to be trusted, only such a
/// step is therefore treated as a loss. A loss is always a step: slow growth means that the line no
/// longer fits, and a decrease means that the link is recovering. A half second far below the line
/// moves the line only if the half seconds that follow are below it too. Packets never arrive
/// early, but a clock may be inaccurate.
///
/// Timing has limits. Losses that recur regularly look the same as a slower clock. The link's
/// interval may match the packets' period, or a multiple of it, to within a thousandth. A loss then
/// looks like a packet that slipped into the next turn (`LinkTurns`). It is detected late, or with
/// too few samples.
struct LossEstimator: Sendable {
  /// The unit in which samples are lost.
  enum Unit: Hashable, Sendable {
    /// A packet of one or three samples. The number is inferred from the samples that arrive
    /// together.
    case packet
    /// A fixed number of samples: one cycle of a counter with few bits.
    case samples(Int)
  }

  struct Loss: Hashable, Sendable {
    var samples: UInt32
    /// Arrival time of a sample shortly before the loss.
    var start: BootTime
    /// Arrival time of a sample shortly after the loss.
    var end: BootTime
  }

  /// Length of a block of arrivals in nanoseconds: several connection intervals. Each block
  /// contributes its smallest lateness.
  private static let blockLength: Double = 0.5e9
  /// Nanoseconds for which the lateness must remain high before a loss is accepted. A minute would
  /// be safer, but all sample numbers would then be too low for a minute after each loss. Link
  /// stalls last up to five seconds.
  private static let patience: Double = 8e9
  /// Number of blocks for which the lateness must remain high before a loss is accepted.
  private static let patienceBlocks = 6
  /// Number of blocks (half seconds) that determine the baseline: a minute of a fast stream. The
  /// baseline is the line on which the lateness would lie if no samples were lost.
  private static let memory = 120
  /// Minimum length in nanoseconds before a baseline is trusted.
  private static let learning: Double = 10e9
  /// Minimum number of blocks (half seconds) before a baseline is trusted.
  private static let learningBlocks = 10
  /// Growth of the lateness that is treated as a loss, as a fraction of the duration of one packet
  /// or counter cycle.
  private static let threshold = 0.75
  /// Largest decrease at which the lateness still counts as steady, as a fraction of the duration
  /// of one packet or counter cycle. A block with a larger decrease moves the line only if the next
  /// blocks also show it.
  private static let slack = 0.5
  /// Resolution with which the uncertainty due to the link's connection interval is computed, in
  /// steps per packet or counter cycle.
  private static let unitParts = 8.0
  /// Number of blocks before a loss to compare with the blocks after it.
  private static let footing = 12
  /// Minimum number of late blocks (half seconds) that are treated as a loss when a numbering ends.
  private static let lastBlocks = 4
  /// Nanoseconds for which blocks must remain late before they are treated as a loss when a
  /// numbering ends.
  private static let lastStay: Double = 1.5e9
  /// The smallest step in the lateness, in nanoseconds, that is considered a loss before the first
  /// line is trusted. Smaller steps are ignored. With few packets, the link's connection interval
  /// alone can cause such a step, though less than once in a hundred hours.
  private static let leastStep: Double = 6e6
  /// Nanoseconds after which persistent lateness is treated as a loss even if the link's connection
  /// interval could explain it.
  private static let longestStay: Double = 60e9
  /// Maximum number of samples in one inferred loss. A larger loss would indicate a clock error.
  private static let mostSamples = 1e8

  /// Nanoseconds between samples at the configured rate.
  private let nominalPeriod: Double
  private let unit: Unit
  /// Number and time of the first sample, to which all other values are relative.
  private var origin: (number: UInt32, time: Int64)?
  /// The latest samples with the same arrival time. The last of them was delayed least.
  private var run: (number: Int64, time: Double, arrival: BootTime, length: Int)?
  /// Arrival time of the run of samples before `run`.
  private var lastArrival: BootTime?
  private var open: Block?
  private var turns = LinkTurns()
  /// Blocks that are not late, oldest first. They determine the baseline.
  private var settled: [Block] = []
  /// Late blocks, collected since the last block that was not late.
  private var raised: [Block] = []
  /// The current run of blocks far below the baseline.
  private var lowered: [Block] = []
  /// The latest long silence since the last loss.
  private var silence = SilenceWatch()
  /// Number of packets whose sample count is a multiple of three.
  private var triples = 0
  /// Number of packets with any other sample count.
  private var others = 0

  /// Fails if the stream's sample numbers show all losses, or if its rate is not positive.
  init?(_ stream: StreamDescription) {
    guard stream.rate > 0 else { return nil }
    let period = 1e9 / stream.rate
    switch stream.lossAccounting {
    case .estimated,
      .counted where stream.isTallied:
      self.init(period: period, unit: .packet)
    case .counted where (1..<32).contains(stream.counterBits):
      self.init(period: period, unit: .samples(1 << stream.counterBits))
    case .counted: return nil
    }
  }

  /// `period` is in nanoseconds per sample.
  init(period: Double, unit: Unit) {
    nominalPeriod = period
    self.unit = unit
  }

  /// Processes a sample. Samples must be passed in order of sample number. Returns a loss as soon
  /// as one is certain. The caller must then add the number of lost samples to this and all later
  /// numbers.
  ///
  /// `time` is the sample's time in nanoseconds on any clock: its arrival time, or the board's own
  /// timestamp.
  mutating func observe(number: UInt32, time: Int64, arrival: BootTime) -> Loss? {
    guard let origin else {
      origin = (number, time)
      run = (0, 0, arrival, 1)
      return nil
    }
    let elapsed = Double(time) - Double(origin.time)
    let latest = run?.number ?? 0
    var place =
      latest
      + Int64(
        Int32(bitPattern: number &- origin.number &- UInt32(truncatingIfNeeded: latest)))
    var loss: Loss?
    if let run {
      guard elapsed > run.time else {
        self.run = (place, run.time, run.arrival, run.length + 1)
        return nil
      }
      turns.note(pause: Double(arrival.nanoseconds - run.arrival.nanoseconds))
      loss = close(
        run: (run.number, run.time, run.arrival, run.length), after: lastArrival ?? run.arrival)
      lastArrival = run.arrival
      if let loss { place += Int64(loss.samples) }
    }
    run = (place, elapsed, arrival, 1)
    return loss
  }

  // MARK: Blocks

  /// The least late packet within half a second.
  private struct Block: Sendable {
    /// Start of the block's half second, in nanoseconds since the first sample.
    var began: Double
    var firstArrival: BootTime
    /// Number of the least late sample.
    var number: Double
    /// The sample's lateness relative to the configured rate, in nanoseconds.
    var deviation: Double
    /// Arrival time of the least late sample.
    var arrival: BootTime
  }

  /// Returns the loss in the last long silence. Returns `nil` unless packets have arrived as
  /// regularly since then as before. If `isAway`, no more packets will arrive. Regular arrival is
  /// then not required, and packets delayed by the link count as lost.
  ///
  /// - Parameter margin: nanoseconds of the silence that are not attributed to a loss; `nil` to
  ///   return the most likely loss.
  func lossOfSilence(isAway: Bool, less margin: Double? = nil) -> Loss? {
    let slope = line?.slope ?? 0
    guard let found = silence.height(isAway: isAway, by: slope) else { return nil }
    let unitPeriod = unitLength * (nominalPeriod + slope)
    let other = margin ?? (Self.threshold - 1) * unitPeriod
    let units = ((found.height - other) / unitPeriod).rounded(.down)
    let samples = units * unitLength
    guard found.height >= SilenceWatch.least, units >= 1, samples <= Self.mostSamples else {
      return nil
    }
    return Loss(samples: UInt32(samples), start: found.start, end: found.end)
  }

  private mutating func close(
    run: (number: Int64, time: Double, arrival: BootTime, length: Int), after last: BootTime
  ) -> Loss? {
    if run.length.isMultiple(of: 3) { triples += 1 } else { others += 1 }
    let number = Double(run.number)
    let deviation = run.time - number * nominalPeriod
    // The board's rate differs from the configured rate, so the least late packet can be found only
    // relative to a line at the board's rate.
    let slope = line?.slope ?? 0
    silence.take(
      LowerEdge.Point(number: number, deviation: deviation), at: run.time, from: last,
      to: run.arrival, by: slope, period: unitLength * (nominalPeriod + slope))
    guard var block = open else {
      open = Block(
        began: run.time, firstArrival: run.arrival, number: number, deviation: deviation,
        arrival: run.arrival)
      return nil
    }
    if deviation - slope * number < block.deviation - slope * block.number {
      block.number = number
      block.deviation = deviation
      block.arrival = run.arrival
    }
    guard run.time - block.began >= Self.blockLength else {
      open = block
      return nil
    }
    open = nil
    let loss = judge(block)
    if loss != nil { silence.forget() }
    return loss
  }

  /// Number of samples in a unit of loss: in a packet, or in a counter cycle.
  private var unitLength: Double {
    switch unit {
    case .packet: Double(samplesPerPacket)
    case .samples(let count): Double(count)
    }
  }

  private mutating func judge(_ block: Block) -> Loss? {
    guard let line, isTrusted(line) else {
      settle(block)
      return hasLearned ? nil : learn()
    }
    let height = height(of: block, over: line)
    if height < -Self.slack {
      lowered.append(block)
      if Self.hasPatience(lowered[...]) { settleLowered() }
      return nil
    }
    lowered.removeAll(keepingCapacity: true)
    guard height >= Self.threshold else {
      // The packets in the `raised` blocks were merely late. Nothing was lost.
      raised.removeAll(keepingCapacity: true)
      settle(block)
      return nil
    }
    raised.append(block)
    guard Self.hasPatience(raised[...]) else { return nil }
    guard !isRecovering(over: line) else {
      raised.removeFirst()
      return nil
    }
    let unknown = unknownHeight(of: block.number - raised[0].number, by: line)
    let hasStayed = block.began - raised[0].began >= Self.longestStay
    guard unknown <= Self.slack || hasStayed else { return nil }
    // The first late block may still contain delayed packets that precede the loss.
    let later = raised.dropFirst()
    guard let loss = step(to: later, over: line, less: hasStayed ? unknown : 0) else {
      adoptRaised(line)
      return nil
    }
    renumberRaised(by: Double(loss.samples), line)
    return loss
  }

  /// Returns the loss that becomes certain when the numbering ends, since no more delayed samples
  /// can arrive.
  ///
  /// - Parameter isAway: whether nothing has arrived since the last sample.
  mutating func finish(isAway: Bool = false) -> Loss? {
    defer {
      run = nil
      open = nil
    }
    if let run, let loss = close(run: run, after: lastArrival ?? run.arrival) { return loss }
    let stayed = hasLearned ? lossAtEnd() : firstStep().flatMap { loss(at: $0) }
    // The loss found in the lateness may include the loss found in the last silence, or vice versa.
    return [stayed, lossOfSilence(isAway: isAway)].compactMap(\.self).max {
      $0.samples < $1.samples
    }
  }

  /// Returns the loss after which the lateness remained high until the numbering ended.
  private mutating func lossAtEnd() -> Loss? {
    if let open, let line, isTrusted(line), height(of: open, over: line) >= Self.threshold {
      raised.append(open)
    }
    guard let line, isTrusted(line), raised.count >= Self.lastBlocks,
      raised[raised.count - 1].began - raised[0].began >= Self.lastStay,
      !isRecovering(over: line)
    else { return nil }
    let samples = raised[raised.count - 1].number - raised[0].number
    let unknown = unknownHeight(of: samples, by: line)
    return step(to: raised[...], over: line, less: unknown <= Self.slack ? 0 : unknown)
  }

  // MARK: Steps

  /// A step in the lateness, found among the blocks before the first line is trusted.
  private struct Step {
    /// Index of the first block after the step in the lateness.
    var place: Int
    /// The line through the blocks on the side of the step in the lateness that has more blocks.
    var line: LowerEdge.Line
    /// Increase in lateness at the step, in units of loss (packets or counter cycles).
    var height: Double
    /// Largest difference in lateness between blocks on the same side of the step, in units of loss
    /// (packets or counter cycles).
    var spread: Double
  }

  /// Searches the blocks for a step in the lateness, which would tilt the first line. The step is a
  /// loss if it persists. Until that is known, no line is trusted.
  private mutating func learn() -> Loss? {
    guard let first = settled.first, let last = settled.last,
      settled.count >= Self.learningBlocks, last.began - first.began >= Self.learning
    else { return nil }
    guard let step = firstStep() else {
      hasLearned = isLearned
      guard isLearned, let line else { return nil }
      // The latest blocks may be late because of a loss, so they cannot serve as a reference for
      // other blocks.
      while settled.count > Self.patienceBlocks, let block = settled.last,
        height(of: block, over: line) >= Self.threshold
      {
        raised.insert(block, at: 0)
        settled.removeLast()
      }
      return nil
    }
    isLearned = false
    guard Self.hasPatience(settled[step.place...]), let loss = loss(at: step) else {
      return nil
    }
    let late = settled[step.place...]
    settled.removeLast(late.count)
    for var block in late {
      block.number += Double(loss.samples)
      block.deviation -= Double(loss.samples) * nominalPeriod
      settle(block)
    }
    hasLearned = isLearned
    return loss
  }

  /// Returns the step that best divides the blocks into two sides with a common slope; `nil` if
  /// there is no such step, or if the link's connection interval can explain it.
  private func firstStep() -> Step? {
    var best: Step?
    for place in settled.indices.dropFirst(Self.lastBlocks).dropLast(Self.lastBlocks - 1) {
      let (early, late) = (settled[..<place], settled[place...])
      guard let line = Self.line(below: early.count > late.count ? early : late),
        line.slope.magnitude <= LowerEdge.tolerance * nominalPeriod
      else { continue }
      let (lowest, highest) = heights(of: early, over: line)
      let (lowestLate, highestLate) = heights(of: late, over: line)
      let step = Step(
        place: place, line: line, height: lowestLate - lowest,
        spread: max(highest - lowest, highestLate - lowestLate))
      let unitPeriod = unitLength * (nominalPeriod + line.slope)
      guard step.height >= max(Self.threshold, Self.leastStep / unitPeriod),
        highest < lowestLate, step.spread <= Self.slack, step.spread < best?.spread ?? .infinity
      else { continue }
      best = step
    }
    guard var best else { return nil }
    let sides = [settled[..<best.place], settled[best.place...]]
    if !isCertain(sides, by: best.line) {
      // The link's connection interval may explain all of a small step in the lateness, or a part
      // of a large one.
      let unitPeriod = unitLength * (nominalPeriod + best.line.slope)
      guard best.height * unitPeriod >= SilenceWatch.least else { return nil }
      let samples = sides.map { ($0.last?.number ?? 0) - ($0.first?.number ?? 0) }.min() ?? 0
      best.height -= unknownHeight(of: samples, by: best.line)
      guard best.height >= Self.threshold else { return nil }
    }
    return best
  }

  /// Returns the loss that a step in the lateness represents; `nil` if the step has not persisted
  /// long enough.
  private func loss(at step: Step) -> Loss? {
    let late = settled[step.place...]
    let units = (step.height + 1 - Self.threshold).rounded(.down)
    guard let first = late.first, let last = late.last, last.began - first.began >= Self.lastStay,
      units * unitLength <= Self.mostSamples
    else { return nil }
    return Loss(
      samples: UInt32(units * unitLength), start: settled[step.place - 1].arrival,
      end: first.firstArrival)
  }

  private func heights(
    of blocks: ArraySlice<Block>, over line: LowerEdge.Line
  ) -> (lowest: Double, highest: Double) {
    blocks.reduce((.infinity, -.infinity)) { range, block in
      let height = height(of: block, over: line)
      return (min(range.0, height), max(range.1, height))
    }
  }

  /// Returns how far a block is above the line, in units of loss (packets or counter cycles).
  private func height(of block: Block, over line: LowerEdge.Line) -> Double {
    (block.deviation - line.deviation(at: block.number))
      / (unitLength * (nominalPeriod + line.slope))
  }

  private func least(_ blocks: ArraySlice<Block>, over line: LowerEdge.Line) -> Double {
    blocks.reduce(.infinity) { min($0, height(of: $1, over: line)) }
  }

  private static func hasPatience(_ blocks: ArraySlice<Block>) -> Bool {
    guard let first = blocks.first, let last = blocks.last else { return false }
    return blocks.count >= patienceBlocks && last.began - first.began >= patience
  }

  /// Returns the delay that the link's connection interval alone may add to every packet in a run
  /// of this many samples. The unit is a packet or a counter cycle.
  private func unknownHeight(of samples: Double, by line: LowerEdge.Line) -> Double {
    let period = nominalPeriod + line.slope
    let unitPeriod = unitLength * period
    let unknown = turns.uncertainty(
      packets: packets(in: samples), period: period * Double(samplesPerPacket),
      bin: unitPeriod / Self.unitParts)
    return unknown / unitPeriod
  }

  /// Number of samples that arrive together, except in packets split by a full ring buffer.
  private var samplesPerPacket: Int { triples > 3 * others ? 3 : 1 }

  private func packets(in samples: Double) -> Int {
    Int(min(max(samples / Double(samplesPerPacket), 1), 1e6))
  }

  /// Whether the lateness is shrinking because delayed packets are still arriving.
  private func isRecovering(over line: LowerEdge.Line) -> Bool {
    let middle = raised.count / 2
    // The first block may still contain packets that precede the step in the lateness.
    let earlier = raised[..<middle].dropFirst(middle > 1 ? 1 : 0)
    return least(raised[middle...], over: line) < least(earlier, over: line) - Self.slack
  }

  /// Returns the loss between the last blocks that were not late and `later`; `nil` if the lateness
  /// has not grown enough.
  private func step(
    to later: ArraySlice<Block>, over line: LowerEdge.Line, less unknown: Double
  ) -> Loss? {
    let before = least(settled.suffix(Self.footing), over: line)
    let after = least(later, over: line) - unknown
    let units = (min(after, after - before) + 1 - Self.threshold).rounded(.down)
    let samples = units * unitLength
    guard units >= 1, samples <= Self.mostSamples, let start = settled.last?.arrival,
      let end = raised.first?.firstArrival
    else { return nil }
    return Loss(samples: UInt32(samples), start: start, end: end)
  }

  /// Moves the baseline to blocks whose lateness grew slowly, or by more than any loss could cause.
  private mutating func adoptRaised(_ line: LowerEdge.Line) {
    let isLoss = least(raised[...], over: line) * unitLength <= Self.mostSamples
    settled.removeFirst(max(0, settled.count - (isLoss ? Self.footing : 0)))
    isLearned = false
    for block in raised { settle(block) }
    raised.removeAll(keepingCapacity: true)
  }

  /// Fits the baseline again, to the blocks that stayed below it. The link has become faster.
  private mutating func settleLowered() {
    settled.removeAll(keepingCapacity: true)
    isLearned = false
    for block in lowered { settle(block) }
    lowered.removeAll(keepingCapacity: true)
    raised.removeAll(keepingCapacity: true)
  }

  /// Corrects the sample numbers of the late blocks (`raised`) after a loss. Blocks that are still
  /// late remain in `raised`.
  private mutating func renumberRaised(by samples: Double, _ line: LowerEdge.Line) {
    var waiting: [Block] = []
    for var block in raised {
      block.number += samples
      block.deviation -= samples * nominalPeriod
      let height = height(of: block, over: line)
      if height >= Self.threshold {
        waiting.append(block)
      } else if height >= Self.threshold - 1 {
        for late in waiting { settle(late) }
        waiting.removeAll()
        // A corrected block below the baseline is raised to it. A block with an inferred number
        // must not tilt the baseline.
        block.deviation = max(block.deviation, line.deviation(at: block.number))
        settle(block)
      }
    }
    raised = waiting
  }

  // MARK: Line

  /// The line below the settled blocks, from `LowerEdge.line(below:)`; `nil` if there are fewer
  /// than two blocks.
  private var line: LowerEdge.Line?

  /// Whether `line` has become long enough to be trusted.
  private var isLearned = false
  /// Whether `line` has ever been long enough to be trusted.
  private var hasLearned = false

  private static func line(below blocks: ArraySlice<Block>) -> LowerEdge.Line? {
    LowerEdge.line(
      below: blocks.map { LowerEdge.Point(number: $0.number, deviation: $0.deviation) })
  }

  private func isTrusted(_ line: LowerEdge.Line) -> Bool {
    isLearned && line.slope.magnitude <= LowerEdge.tolerance * nominalPeriod
  }

  /// Whether the line is long enough to be trusted. The least late packets in each half of the line
  /// must be nearly undelayed. This is not required if the link's connection interval would prevent
  /// it even for a line of maximum length.
  private func isLongEnough(_ line: LowerEdge.Line) -> Bool {
    guard settled.count >= Self.learningBlocks, let first = settled.first, let last = settled.last,
      last.began - first.began >= Self.learning,
      line.slope.magnitude <= LowerEdge.tolerance * nominalPeriod
    else { return false }
    guard settled.count < Self.memory, last.began - first.began < Self.longestStay else {
      return true
    }
    let samples = last.number - first.number
    return isCertain(samples / 2, by: line, over: samples)
  }

  /// Whether the least late of this many samples are certain to be nearly undelayed. The packets'
  /// period comes from a line through `all` samples.
  private func isCertain(_ samples: Double, by line: LowerEdge.Line, over all: Double) -> Bool {
    // The link's connection interval may have tilted the line by up to one unit of loss. The period
    // computed from the line is then not exact enough to show how long packets waited.
    let period = nominalPeriod + line.slope
    let unitPeriod = unitLength * period
    return turns.isCertain(
      to: unitPeriod * Self.slack / 2, packets: packets(in: samples),
      period: period * Double(samplesPerPacket), tilt: unitLength / all,
      bin: unitPeriod / Self.unitParts)
  }

  /// Whether the least late samples on both sides of a step are certain to be nearly undelayed. The
  /// packets' period comes from a line through the longer side.
  private func isCertain(_ sides: [ArraySlice<Block>], by line: LowerEdge.Line) -> Bool {
    let samples = sides.map { ($0.last?.number ?? 0) - ($0.first?.number ?? 0) }
    guard let shortest = samples.min(), let longest = samples.max() else { return false }
    return isCertain(shortest, by: line, over: longest)
  }

  private mutating func settle(_ block: Block) {
    if settled.count == Self.memory { settled.removeFirst() }
    settled.append(block)
    line = Self.line(below: settled[...])
    if !isLearned, let line { isLearned = isLongEnough(line) }
  }
}
