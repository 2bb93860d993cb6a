/// Turns the board's count of samples into boot time: a straight line through counter and arrival.
///
/// Packets arrive late by varying amounts and the board's crystal is off by up to a percent, so
/// neither the arrival nor the nominal rate is a sample's time. The line through all arrivals so
/// far smooths the first and measures the second.
public struct ClockModel: Sendable {
  /// Nanoseconds between samples as configured; used until the line is long enough to be trusted.
  private let nominalPeriod: Double
  /// Counter and arrival of the first sample; everything is kept relative to them.
  private var origin: (counter: UInt32, arrival: BootTime)?
  /// Samples since the origin, unwrapped.
  private var latest: Int64 = 0
  /// Running sums over the points: count, x, y, x², xy with x in samples and y in nanoseconds of
  /// deviation from the nominal line, which keeps the sums small.
  private var count = 0.0
  private var sumX = 0.0
  private var sumY = 0.0
  private var sumXX = 0.0
  private var sumXY = 0.0

  /// A model for a stream of this many samples per second.
  public init(rate: Double) {
    nominalPeriod = 1e9 / rate
  }

  /// Adds a sample, in order of its counter.
  public mutating func observe(counter: UInt32, arrival: BootTime) {
    guard let origin else {
      origin = (counter, arrival)
      count = 1
      return
    }
    latest = unwrapped(counter, from: origin.counter)
    let x = Double(latest)
    let elapsed = Double(arrival.nanoseconds - origin.arrival.nanoseconds)
    let y = elapsed - x * nominalPeriod
    count += 1
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
  }

  /// Nanoseconds from one counted sample to the next, as measured.
  ///
  /// Held within 5 % of the configured one: no crystal is off by more, but a burst after a stall
  /// at the start of a session looks like it.
  public var period: Double {
    let spread = count * sumXX - sumX * sumX
    guard count >= 100, spread > 0 else { return nominalPeriod }
    let deviation = (count * sumXY - sumX * sumY) / spread
    return nominalPeriod + min(max(deviation, -0.05 * nominalPeriod), 0.05 * nominalPeriod)
  }

  /// When the sample with this counter was taken; `nil` before the first was observed.
  public func time(of counter: UInt32) -> BootTime? {
    guard let origin else { return nil }
    let x = Double(unwrapped(counter, from: origin.counter))
    let measured = period - nominalPeriod
    let intercept = (sumY - measured * sumX) / count
    return BootTime(
      nanoseconds: origin.arrival.nanoseconds
        + Int64((x * (nominalPeriod + measured) + intercept).rounded()))
  }

  /// The counter as a distance from the origin, taking the turn of 2³² that is nearest to the
  /// latest sample.
  private func unwrapped(_ counter: UInt32, from origin: UInt32) -> Int64 {
    let step = Int32(bitPattern: counter &- origin &- UInt32(truncatingIfNeeded: latest))
    return latest + Int64(step)
  }
}
