public import Values

/// Converts the board's count of samples to boot time: a straight line through the number and the
/// *earliest* arrivals.
///
/// A packet arrives late by an amount that depends on the radio, and never early. The sensor's
/// oscillator is off by up to a percent and drifts with its temperature. So neither the arrival nor
/// the configured rate gives a sample's time. The line below the arrivals of the last minute
/// removes the lateness and measures the drift. The delay that all packets have in common cannot be
/// seen and stays in the times.
///
/// Each stream has its own model: the sensor's oscillator sets the rate, and a board has several
/// oscillators.
public struct ClockModel: Sendable {
  /// Nanoseconds per block, for its least late sample: several connection intervals.
  private static let blockLength = 1e9
  /// Blocks that determine the line: a minute of a fast stream. A longer memory would be steadier
  /// but follow a warming board more slowly.
  private static let memory = 60
  /// Nanoseconds, and blocks, after which the measured rate replaces the configured one.
  private static let learning = 2e9
  private static let learningBlocks = 4
  /// Nanoseconds after which a measured rate with a greater deviation is trusted, and one with any
  /// deviation.
  private static let confidence = 5e9
  private static let certainty = 30e9
  /// The relative error of a sensor's own oscillator.
  private static let oscillatorTolerance = 0.015

  /// Nanoseconds between samples as configured.
  private let nominalPeriod: Double
  /// Number and arrival of the first sample, to which all other values are relative.
  private var origin: (counter: UInt32, arrival: BootTime)?
  /// Samples since the origin, unwrapped.
  private var latest: Int64 = 0
  /// Difference of the period from the configured one, in nanoseconds per sample.
  private var slope = 0.0
  /// A point of the line.
  private var anchor = LowerEdge.Point(number: 0, deviation: 0)
  /// The least late samples of past seconds, the oldest first.
  private var settled: [LowerEdge.Point] = []
  /// The least late sample of the present second, the start of that second, and the sample's
  /// lateness relative to the slope.
  private var open: (least: LowerEdge.Point, began: Double, height: Double)?

  /// A model for a stream of this many samples per second.
  public init(rate: Double) {
    nominalPeriod = 1e9 / rate
    settled.reserveCapacity(Self.memory)
  }

  /// Adds a sample, in order of its number. Takes a few nanoseconds, and half a microsecond once a
  /// second.
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

  /// Raises the numbers of the samples that arrived at `arrival` or later, after a loss before them
  /// was found only now.
  mutating func renumber(from arrival: BootTime, by samples: UInt32) {
    guard let origin else { return }
    let start = Double(arrival.nanoseconds &- origin.arrival.nanoseconds)
    func renumbered(_ point: LowerEdge.Point) -> LowerEdge.Point {
      // Half a microsecond of tolerance for the rounding of the sum.
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

  /// Notes that the board restarts: the measured rate is kept, the phase is discarded.
  public mutating func restart() {
    settled.removeAll(keepingCapacity: true)
    open = nil
  }

  /// Nanoseconds from one counted sample to the next: the measured period once it is trusted, the
  /// configured period before.
  public var period: Double { nominalPeriod + slope }

  /// Time of the sample with this number; `nil` before the first sample.
  public func time(of counter: UInt32) -> BootTime? {
    guard let origin else { return nil }
    let number = Double(unwrapped(counter, from: origin.counter))
    var line = anchor.deviation + slope * (number - anchor.number)
    if let open {
      // A sample of the open second that is earlier than the line of older samples moves the line
      // to itself. Without such a line, the earliest sample determines it.
      let newest = open.least.deviation + slope * (number - open.least.number)
      line = settled.isEmpty ? newest : min(line, newest)
    }
    return BootTime(
      nanoseconds: origin.arrival.nanoseconds &+ Int64((number * nominalPeriod + line).rounded()))
  }

  /// Ends the present second and recomputes the line.
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
    // The earliest of all points at the known rate.
    anchor = settled.reduce(least) { earliest, point in
      point.deviation - earliest.deviation < slope * (point.number - earliest.number)
        ? point : earliest
    }
  }

  /// The relative difference allowed between the measured and the configured period. A large
  /// difference after seconds is a link that began with a stall. After half a minute it is a sensor
  /// with another rate.
  private func tolerance(after samples: Double) -> Double {
    switch samples * nominalPeriod {
    case ..<Self.confidence: Self.oscillatorTolerance
    case ..<Self.certainty: LowerEdge.tolerance
    default: 0.5
    }
  }

  /// The distance of the number from the origin, with the multiple of 2³² that is nearest to the
  /// latest sample.
  private func unwrapped(_ counter: UInt32, from origin: UInt32) -> Int64 {
    let step = Int32(bitPattern: counter &- origin &- UInt32(truncatingIfNeeded: latest))
    return latest + Int64(step)
  }
}
