/// Infers from timing what a stream lost whose numbering shows no loss.
///
/// Packets arrive late, never early, and mostly in order. Against a line of the board's true rate
/// the smallest lateness of each half second is therefore steady, and a packet that never comes
/// raises it by one packet's period for good. A stall raises it too, but only until the packets
/// that waited arrive. So a loss is believed when the lateness has stayed up for `patience`.
///
/// The line is the lower edge of the last `memory` half seconds: a packet that waited lies above it
/// and does not move it. Until the line is long enough to be trusted nothing is inferred, nor
/// while its rate is further from the configured one than any board's.
///
/// It must not be asked for more than timing tells. Losses that come as steadily as a slower clock
/// would pass for one. Where the link carries packets at a multiple of their period, to within a
/// thousandth, a packet that slips into the next turn of the link looks like a lost one.
struct LossEstimator: Sendable {
  /// What is lost at a time: the samples of a packet, or one turn of a narrow counter.
  enum Unit: Hashable, Sendable {
    /// One packet, of one sample or of three, which is learned from what arrives together.
    case packet
    /// So many samples.
    case samples(Int)
  }

  /// Samples that were lost, and when.
  struct Loss: Hashable, Sendable {
    /// How many.
    var samples: UInt32
    /// Arrival of a sample before the loss, soon before it.
    var start: BootTime
    /// Arrival of a sample after it, soon after it.
    var end: BootTime
  }

  /// Nanoseconds over which the smallest lateness is taken: some connection intervals.
  private static let blockLength: Double = 0.5e9
  /// Nanoseconds, and blocks, for which lateness has to stay up. A minute would be safer and would
  /// leave a minute of samples with low numbers; stalls of links last up to five seconds.
  private static let patience: Double = 8e9
  private static let patienceBlocks = 6
  /// Blocks that the line rests on: a minute of a fast stream.
  private static let memory = 120
  /// Nanoseconds, and blocks, after which the line is trusted.
  private static let learning: Double = 10e9
  private static let learningBlocks = 10
  /// Part of a unit by which lateness must have grown.
  private static let threshold = 0.75
  /// The most that is inferred at once: more is a clock gone wrong, not a loss.
  private static let mostSamples = 1e8

  /// Nanoseconds between samples as configured.
  private let nominalPeriod: Double
  private let unit: Unit
  /// First sample and its time; everything is kept relative to them.
  private var origin: (number: UInt32, time: Int64)?
  /// Samples that share one arrival: the last of them arrived with the least delay.
  private var run: (number: Int64, time: Double, arrival: BootTime, length: Int)?
  private var open: Block?
  /// Blocks on the line, oldest first.
  private var settled: [Block] = []
  /// Blocks above the line since the last one on it.
  private var raised: [Block] = []
  /// How often what arrived together was a multiple of three samples, and how often not.
  private var triples = 0
  private var others = 0

  /// An estimator for what the numbers of a stream do not show; `nil` if they show everything.
  init?(_ stream: StreamDescription) {
    guard stream.rate > 0 else { return nil }
    let period = 1e9 / stream.rate
    switch stream.lossAccounting {
    case .estimated: self.init(period: period, unit: .packet)
    case .counted where (1..<32).contains(stream.counterBits):
      self.init(period: period, unit: .samples(1 << stream.counterBits))
    case .counted: return nil
    }
  }

  /// An estimator for samples that are this many nanoseconds apart.
  init(period: Double, unit: Unit) {
    nominalPeriod = period
    self.unit = unit
  }

  /// Takes a sample in order of its number; a loss if one is certain now. This and all later
  /// samples then have to be numbered higher by what was lost.
  ///
  /// `time` is when it came, in nanoseconds on any clock: its arrival, or the board's own stamp.
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
      loss = close(run: (run.number, run.time, run.arrival, run.length))
      if let loss { place += Int64(loss.samples) }
    }
    run = (place, elapsed, arrival, 1)
    return loss
  }

  // MARK: Blocks

  /// The least late of the packets of half a second.
  private struct Block: Sendable {
    /// When it began.
    var began: Double
    var firstArrival: BootTime
    /// The number of the least late sample, its deviation from the configured rate, its arrival.
    var number: Double
    var deviation: Double
    var arrival: BootTime
  }

  private mutating func close(
    run: (number: Int64, time: Double, arrival: BootTime, length: Int)
  ) -> Loss? {
    if run.length.isMultiple(of: 3) { triples += 1 } else { others += 1 }
    let number = Double(run.number)
    let deviation = run.time - number * nominalPeriod
    guard var block = open else {
      open = Block(
        began: run.time, firstArrival: run.arrival, number: number, deviation: deviation,
        arrival: run.arrival)
      return nil
    }
    // As the board's rate is not the configured one, the least late one is judged by the line.
    let slope = line?.slope ?? 0
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
    return judge(block)
  }

  /// Samples that are lost together.
  private var unitLength: Double {
    switch unit {
    // A packet torn by a full ring is no packet of one.
    case .packet: triples > 3 * others ? 3 : 1
    case .samples(let count): Double(count)
    }
  }

  private mutating func judge(_ block: Block) -> Loss? {
    guard let line, isTrusted(line) else {
      settle(block)
      return nil
    }
    let unitPeriod = unitLength * (nominalPeriod + line.slope)
    func height(_ block: Block) -> Double {
      (block.deviation - line.deviation(at: block.number)) / unitPeriod
    }
    guard height(block) >= Self.threshold else {
      // They were only late.
      raised.removeAll(keepingCapacity: true)
      settle(block)
      return nil
    }
    raised.append(block)
    guard raised.count >= Self.patienceBlocks, block.began - raised[0].began >= Self.patience else {
      return nil
    }
    // The first may still hold packets from before the loss that had waited.
    let least = raised.dropFirst().reduce(.infinity) { min($0, height($1)) }
    let samples = (least + 1 - Self.threshold).rounded(.down) * unitLength
    guard samples <= Self.mostSamples, let before = settled.last else {
      raised.removeAll(keepingCapacity: true)
      forget()
      return nil
    }
    let loss = Loss(
      samples: UInt32(samples), start: before.arrival, end: raised[0].firstArrival)
    renumberRaised(by: samples, line)
    return loss
  }

  /// Gives the blocks behind a loss their right numbers; those that are still too high wait for the
  /// next one.
  private mutating func renumberRaised(by samples: Double, _ line: LowerEdge.Line) {
    let unitPeriod = unitLength * (nominalPeriod + line.slope)
    var waiting: [Block] = []
    for var block in raised {
      block.number += samples
      block.deviation -= samples * nominalPeriod
      let height = (block.deviation - line.deviation(at: block.number)) / unitPeriod
      if height >= Self.threshold {
        waiting.append(block)
      } else if height >= Self.threshold - 1 {
        for late in waiting { settle(late) }
        waiting.removeAll()
        settle(block)
      }
    }
    raised = waiting
  }

  // MARK: The line

  /// The lower edge of the settled blocks over their middle; `nil` before there are two.
  private var line: LowerEdge.Line?

  private func isTrusted(_ line: LowerEdge.Line) -> Bool {
    guard settled.count >= Self.learningBlocks, let first = settled.first, let last = settled.last
    else { return false }
    return last.began - first.began >= Self.learning
      && line.slope.magnitude <= LowerEdge.tolerance * nominalPeriod
  }

  private mutating func settle(_ block: Block) {
    if settled.count == Self.memory { settled.removeFirst() }
    settled.append(block)
    line = LowerEdge.line(
      below: settled.map { LowerEdge.Point(number: $0.number, deviation: $0.deviation) })
  }

  /// Starts to learn anew.
  private mutating func forget() {
    settled.removeAll(keepingCapacity: true)
    line = nil
  }
}
