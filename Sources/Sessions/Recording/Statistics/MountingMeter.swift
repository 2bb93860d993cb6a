internal import Glibc

/// Determines how a board is attached to a limb, from its accelerometer and its gyroscope.
///
/// A limb swings about one axis, once per stride. The gyroscope shows this axis in the board's
/// axes, and the accelerometer shows which way is up. Together they describe the mounting. Twice a
/// second, the meter searches the last quarter minute for five complete strides. Strides that are
/// much shorter or longer than the others, such as strides during a turn, are ignored.
///
/// The sign of the swing axis follows from the shape of the swing. The fast part of a shank's swing
/// is forwards, and a foot points down only briefly. The angle and its rate are therefore both
/// skewed, and the sum of the two skewnesses determines the sign.
public struct MountingMeter: Sendable {
  /// Seconds per bin. 25 bins per second resolve the fastest strides.
  static let seconds = 0.04
  /// Number of bins that a search covers, and number of bins from one search to the next.
  private static let bins = (kept: 400, hop: 12)
  /// The number of strides that a mounting requires.
  private static let leastStrides = 5
  /// The possible durations of a stride in seconds.
  private static let strides = 0.6...2.4
  /// The durations of strides that are accepted, as fractions of the median.
  private static let likeness = 0.75...1.33
  /// Minimum root mean square of the swing in degrees per second.
  private static let leastSwing = 40.0
  /// Minimum fraction of the squared rotation that is about the swing axis.
  private static let leastShare = 0.55
  /// Minimum sum of skewnesses that determines the sign of the swing axis. The feet of healthy
  /// people reach 0.9 to 1.9.
  private static let leastSkewness = 0.35
  /// Maximum rotation rate of a resting foot, as a fraction of the root mean square of the swing.
  /// Minimum number of parts of a stride during which a foot rests.
  private static let rest = (rate: 0.2, parts: 4)

  private var acceleration: Bins
  private var rotation: Bins
  private var look = 0

  /// The rates are in samples per second.
  public init(accelerationRate: Double, rotationRate: Double) {
    acceleration = Bins(rate: accelerationRate)
    rotation = Bins(rate: rotationRate)
  }

  /// Adds the next acceleration, in any unit, with the sample number assigned by the board.
  public mutating func add(acceleration value: SIMD3<Double>, counter: UInt32) {
    acceleration.add(value, counter: counter)
  }

  /// Adds the next angular velocity in degrees per second, with the sample number assigned by the
  /// board. Returns the mounting if it was determined with this sample.
  public mutating func add(rotation value: SIMD3<Double>, counter: UInt32) -> Mounting? {
    rotation.add(value, counter: counter)
    guard rotation.count != look, rotation.count % Self.bins.hop == 0 else { return nil }
    look = rotation.count
    return mounting
  }

  /// The mounting determined from the latest strides; `nil` if they are too few, too weak or not
  /// about one axis.
  private var mounting: Mounting? {
    // Both streams of a board run in parallel, so their latest bins cover the same time.
    let count = min(Self.bins.kept, acceleration.values.count, rotation.values.count)
    var forces = Array(acceleration.values.suffix(count))
    var rates = Array(rotation.values.suffix(count))
    guard let swing = Swing(rates), swing.peaks.count > Self.leastStrides else { return nil }
    // Ignore the time before the walk, so that standing affects neither the axis nor the upward
    // direction.
    let walk = Int(swing.peaks[0])..<Int(swing.peaks[swing.peaks.count - 1])
    forces = Array(forces[walk])
    rates = Array(rates[walk])
    guard let swing = Swing(rates), let up = forces.reduce(.zero, +).unit else { return nil }
    let strides = Self.strides(between: swing.peaks)
    guard strides.count >= Self.leastStrides, swing.strength >= Self.leastSwing,
      swing.share >= Self.leastShare
    else { return nil }
    var mounting = Mounting(
      up: up, looseness: Self.looseness(strides, forces, rates, about: swing.axis))
    guard swing.skewness >= Self.leastSkewness else { return mounting }
    mounting.swing = swing.axis
    guard let rest = (up - swing.axis * (up * swing.axis).sum()).unit else { return mounting }
    let travel = rest.cross(swing.axis)
    mounting.roll = Self.course(rates.map { ($0 * travel).sum() / swing.strength }, over: strides)
    let course = Self.course(swing.rates.map { $0 / swing.strength }, over: strides)
    mounting.isFoot = course.count { abs($0) < Self.rest.rate } >= Self.rest.parts
    return mounting
  }

  /// Returns the strides between these peaks, except strides of an unusual duration.
  private static func strides(between peaks: [Double]) -> [Range<Double>] {
    let strides = zip(peaks, peaks.dropFirst()).map { $0..<$1 }
    let median = median(strides.map { $0.upperBound - $0.lowerBound })
    guard self.strides.contains(median * seconds) else { return [] }
    return strides.filter { likeness.contains(($0.upperBound - $0.lowerBound) / median) }
  }

  /// Returns the course of a value over a stride: for each part, the median over all strides.
  private static func course(_ values: [Double], over strides: [Range<Double>]) -> [Double] {
    (0..<Mounting.parts).map { part in
      median(
        strides.map { stride in
          let place =
            stride.lowerBound
            + (Double(part) + 0.5) * (stride.upperBound - stride.lowerBound)
            / Double(Mounting.parts)
          let left = min(Int(place), values.count - 1)
          let right = min(left + 1, values.count - 1)
          return values[left] + (place - Double(left)) * (values[right] - values[left])
        })
    }
  }

  /// Returns the mean angle in degrees between the direction in each stride and the mean direction:
  /// for the upward directions or for the swing axes, whichever is larger.
  private static func looseness(
    _ strides: [Range<Double>], _ forces: [SIMD3<Double>], _ rates: [SIMD3<Double>],
    about axis: SIMD3<Double>
  ) -> Double {
    func deviation(_ directions: [SIMD3<Double>]) -> Double {
      guard let mean = directions.reduce(.zero, +).unit else { return 180 }
      let angles = directions.map { Mounting.degrees(cosine: ($0 * mean).sum()) }
      return angles.reduce(0, +) / Double(angles.count)
    }
    let ranges = strides.map { Int($0.lowerBound)..<Int($0.upperBound) }
    let up = ranges.compactMap { forces[$0].reduce(.zero, +).unit }
    let swings = ranges.compactMap { range in
      rates[range].reduce(.zero) { $0 + $1 * ($1 * axis).sum() }.unit
    }
    return max(deviation(up), deviation(swings))
  }

  private static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// A stream's latest values, each averaged over one bin.
  private struct Bins: Sendable {
    private let binsPerSample: Double
    private(set) var values: [SIMD3<Double>] = []
    /// The number of bins closed so far.
    private(set) var count = 0
    private var sum = SIMD3<Double>.zero
    private var samples = 0.0
    /// The number of sample periods since the first sample, and the number of the latest sample.
    private var place = 0
    private var latest: UInt32?

    init(rate: Double) { binsPerSample = 1 / (rate * seconds) }

    mutating func add(_ value: SIMD3<Double>, counter: UInt32) {
      if let latest {
        let step = Int(Int32(bitPattern: counter &- latest))
        place += step < 0 ? 1 : step
        if step < 0 || Double(step) * binsPerSample * seconds > WalkingDetector.longestGap {
          (values, count, sum, samples, place) = ([], 0, .zero, 0, 0)
        }
      }
      latest = counter
      while count < Int(Double(place) * binsPerSample) { close() }
      guard value.x.isFinite, value.y.isFinite, value.z.isFinite else { return }
      sum += value
      samples += 1
    }

    private mutating func close() {
      // If the stream is slow, some bins contain no sample.
      let value = samples > 0 ? sum / samples : values.last ?? .zero
      (sum, samples) = (.zero, 0)
      count += 1
      // Remove half of the values at a time, which keeps the average cost of a bin constant.
      if values.count == 2 * bins.kept { values.removeFirst(bins.kept) }
      values.append(value)
    }
  }
}
