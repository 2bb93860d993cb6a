public import Values

/// Converts a board's sample numbers to boot time, using a straight line through the *earliest*
/// arrivals.
///
/// Packets arrive late by an amount that depends on the radio, and never early. The sensor's
/// oscillator deviates by up to one percent and drifts with temperature. So neither the arrival
/// time nor the configured rate determines when a sample was taken. A line fitted below the
/// arrivals of the last minute removes the lateness and measures the drift. A delay common to all
/// packets cannot be detected and remains in the times.
///
/// Each stream has its own model: the sensor's oscillator determines the rate, and a board has
/// several oscillators.
public struct ClockModel: Sendable {
  /// Length of a block of arrivals in nanoseconds: several connection intervals. Each block
  /// contributes its least late sample.
  private static let blockLength = 1e9
  /// Number of blocks that determine the line below the arrivals: a minute of a fast stream. A
  /// longer history would be more stable, but would adapt more slowly while a board warms up.
  private static let memory = 60
  /// Minimum time in nanoseconds before the measured rate replaces the configured rate.
  private static let learning = 2e9
  /// Minimum number of blocks before the measured rate replaces the configured rate.
  private static let learningBlocks = 4
  /// Nanoseconds after which a measured rate is trusted even if it deviates by more than an
  /// oscillator can.
  private static let confidence = 5e9
  /// Nanoseconds after which a measured rate is trusted if its period deviates by up to half.
  private static let certainty = 30e9
  /// The maximum relative error of a sensor's oscillator.
  private static let oscillatorTolerance = 0.015

  /// Nanoseconds between samples at the configured rate.
  private let nominalPeriod: Double
  /// Number and arrival time of the first sample, to which all other values are relative.
  private var origin: (counter: UInt32, arrival: BootTime)?
  /// Number of samples from the first to the latest sample, without wraparound.
  private var latest: Int64 = 0
  /// Measured period minus configured period, in nanoseconds per sample.
  private var slope = 0.0
  /// A point on the line fitted below the arrivals, relative to `origin`.
  private var anchor = LowerEdge.Point(number: 0, deviation: 0)
  /// The least late sample of each past second, oldest first.
  private var settled: [LowerEdge.Point] = []
  /// The least late sample of the current second, the start of that second, and the sample's
  /// lateness with the slope subtracted.
  private var open: (least: LowerEdge.Point, began: Double, height: Double)?

  /// `rate` is in samples per second.
  public init(rate: Double) {
    nominalPeriod = 1e9 / rate
    settled.reserveCapacity(Self.memory)
  }

  /// Adds a sample. Samples must be added in order of sample number. Most calls take a few
  /// nanoseconds; one per second takes half a microsecond.
  public mutating func observe(counter: UInt32, arrival: BootTime) {
    guard let origin else {
      origin = (counter, arrival)
      open = (LowerEdge.Point(number: 0, deviation: 0), 0, 0)
      return
    }
    latest = unwrapped(counter, from: origin.counter)
    let number = Double(latest)
    let elapsed = Double(arrival.nanoseconds &- origin.arrival.nanoseconds)
    let deviation = elapsed - number * nominalPeriod
    let height = deviation - slope * number
    guard let block = open else {
      open = (LowerEdge.Point(number: number, deviation: deviation), elapsed, height)
      return
    }
    if height < block.height {
      open?.least = LowerEdge.Point(number: number, deviation: deviation)
      open?.height = height
    }
    if elapsed - block.began >= Self.blockLength { settle() }
  }

  /// Raises the numbers of the samples that arrived at `arrival` or later, because a loss before
  /// them was detected late.
  mutating func renumber(from arrival: BootTime, by samples: UInt32) {
    guard let origin else { return }
    let start = Double(arrival.nanoseconds &- origin.arrival.nanoseconds)
    func renumbered(_ point: LowerEdge.Point) -> LowerEdge.Point {
      // The tolerance of half a microsecond allows for rounding of the reconstructed arrival time.
      guard point.number * nominalPeriod + point.deviation >= start - 500 else { return point }
      let step = Double(samples)
      return LowerEdge.Point(
        number: point.number + step, deviation: point.deviation - step * nominalPeriod)
    }
    settled = settled.map(renumbered)
    latest += Int64(samples)
    if let block = open {
      let least = renumbered(block.least)
      open = (least, block.began, least.deviation - slope * least.number)
    }
    layLine()
  }

  /// Records that the board restarted. The measured rate remains valid, but past samples no longer
  /// determine the line.
  public mutating func restart() {
    settled.removeAll(keepingCapacity: true)
    open = nil
  }

  /// Nanoseconds between consecutive samples: the configured period until the measured period is
  /// trusted.
  public var period: Double { nominalPeriod + slope }

  /// Returns the time of the sample with this number; `nil` before the first sample.
  public func time(of counter: UInt32) -> BootTime? {
    guard let origin else { return nil }
    let number = Double(unwrapped(counter, from: origin.counter))
    var line = anchor.deviation + slope * (number - anchor.number)
    if let open {
      // If a sample in the current second is below the line of older samples, the line moves down
      // to that sample. Until a line exists, the least late sample of the current second determines
      // the time.
      let newest = open.least.deviation + slope * (number - open.least.number)
      line = settled.isEmpty ? newest : min(line, newest)
    }
    return BootTime(
      nanoseconds: origin.arrival.nanoseconds &+ Int64((number * nominalPeriod + line).rounded()))
  }

  /// Ends the current second and recomputes the line below the arrivals.
  private mutating func settle() {
    guard let least = open?.least else { return }
    open = nil
    if settled.count == Self.memory { settled.removeFirst() }
    settled.append(least)
    layLine()
  }

  private mutating func layLine() {
    guard let first = settled.first, let least = settled.last else { return }
    if settled.count >= Self.learningBlocks,
      (least.number - first.number) * nominalPeriod >= Self.learning,
      let line = LowerEdge.line(below: settled),
      line.slope.magnitude <= tolerance(after: least.number - first.number) * nominalPeriod
    {
      slope = line.slope
      anchor = LowerEdge.Point(number: line.number, deviation: line.deviation)
      return
    }
    // If no line through the arrivals is plausible, the known rate is kept, and the earliest of all
    // points is used.
    anchor = settled.reduce(least) { earliest, point in
      point.deviation - earliest.deviation < slope * (point.number - earliest.number)
        ? point : earliest
    }
  }

  /// Returns the allowed relative difference between the measured and the configured period. In the
  /// first seconds, a large difference means that the link started with a stall. After half a
  /// minute, it means that the sensor's rate really differs.
  private func tolerance(after samples: Double) -> Double {
    switch samples * nominalPeriod {
    case ..<Self.confidence: Self.oscillatorTolerance
    case ..<Self.certainty: LowerEdge.tolerance
    default: 0.5
    }
  }

  /// Returns the distance of a sample number from the origin. A multiple of 2³² is added to bring
  /// the result as close as possible to the latest sample.
  private func unwrapped(_ counter: UInt32, from origin: UInt32) -> Int64 {
    let step = Int32(bitPattern: counter &- origin &- UInt32(truncatingIfNeeded: latest))
    return latest + Int64(step)
  }
}
