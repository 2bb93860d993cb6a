/// The last half minute of an accelerometer's magnitude, resampled to 25 values per second.
///
/// A value is the magnitude of the acceleration minus gravity. It has no direction, so the
/// orientation of the board does not matter. If the caller also provides the axes, they are kept
/// for the last seven seconds.
struct MotionBins: Sendable {
  /// Seconds per bin. 25 bins per second resolve the fastest steps.
  static let seconds = 0.04
  /// Number of bins stored, which together span half a minute. If steps are hesitant, it may take
  /// that long for a rhythm to become visible.
  static let kept = 750
  /// Number of bins in the moving average that smooths the ringing after a foot strike.
  private static let smoothing = 3
  /// Number of bins over which the swing, the highest minus the lowest value, is measured. Half a
  /// second includes the rise and the fall of a step.
  static let swingSpan = 12
  /// Limit in g, not including gravity, at which foot strikes are clipped, since a slow stream
  /// captures a varying part of each strike.
  private static let strike = 1.0
  /// Number of bins for which the axes are kept, which must not be less than the longest search
  /// window.
  static let keptAxes = 192

  /// The smoothed values, in a ring buffer: bin `n` is at index `n % kept`.
  private var values = [Double](repeating: 0, count: kept)
  /// The difference between the highest and the lowest smoothed value in the half second that ends
  /// with each bin.
  private var swings = [Double](repeating: 0, count: kept)
  private var raw = [Double](repeating: 0, count: smoothing)
  /// The smoothed axes in g, in a ring buffer of `keptAxes`.
  private var axes = [SIMD4<Float>](repeating: .zero, count: keptAxes)
  private var rawAxes = [SIMD4<Float>](repeating: .zero, count: smoothing)
  /// Number of bins since the samples began, which is the number of the next bin.
  private(set) var count = 0
  private var sum = 0.0
  private var axisSum = SIMD3<Double>.zero
  private var samples = 0.0

  mutating func removeAll() {
    (count, sum, axisSum, samples) = (0, 0, .zero, 0)
  }

  /// Adds a sample to the open bin: the magnitude of the acceleration in g, and its axes if they
  /// are known.
  mutating func add(_ magnitude: Double, _ acceleration: SIMD3<Double> = .zero) {
    guard magnitude.isFinite else { return }
    sum += min(max(magnitude - 1, -Self.strike), Self.strike)
    // Scale a clipped foot strike, to preserve the direction of its acceleration.
    let limit = 1 + Self.strike
    axisSum += magnitude > limit ? acceleration * (limit / magnitude) : acceleration
    samples += 1
  }

  /// Closes the open bin, and smooths its value.
  mutating func close() {
    // If the stream is slow, some bins contain no sample.
    let slot = count % Self.smoothing
    let former = count > 0 ? (count - 1) % Self.smoothing : nil
    raw[slot] = samples > 0 ? sum / samples : former.map { raw[$0] } ?? 0
    rawAxes[slot] =
      samples > 0
      ? SIMD4(SIMD4(axisSum * (1 / samples), 0)) : former.map { rawAxes[$0] } ?? .zero
    (sum, axisSum, samples) = (0, .zero, 0)
    let width = min(count + 1, Self.smoothing)
    var mean = 0.0
    var axisMean = SIMD4<Float>.zero
    for place in 0..<width {
      mean += raw[place] / Double(width)
      axisMean += rawAxes[place]
    }
    values[count % Self.kept] = mean
    axes[count % Self.keptAxes] = axisMean * (1 / Float(width))
    var (low, high) = (mean, mean)
    for number in max(0, count - Self.swingSpan + 1)..<count {
      let value = values[number % Self.kept]
      if value < low { low = value }
      if value > high { high = value }
    }
    swings[count % Self.kept] = high - low
    count += 1
  }

  /// Returns a bin's smoothed value, in g.
  func value(_ bin: Int) -> Double { values[bin % Self.kept] }

  /// Returns the similarity of two series of `count` bins that start at `first` and `second`, at
  /// most 1. Series that differ in strength are considered less similar. Returns 0 if the variance
  /// of either is less than `variance`.
  func similarity(of first: Int, and second: Int, count: Int, variance: Double) -> Double {
    var (left, right) = (first % Self.kept, second % Self.kept)
    var (sums, squares) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
    var products = 0.0
    for _ in 0..<count {
      let pair = SIMD2(values[left], values[right])
      sums += pair
      squares += pair * pair
      products += pair.x * pair.y
      left = left + 1 == Self.kept ? 0 : left + 1
      right = right + 1 == Self.kept ? 0 : right + 1
    }
    let means = sums / Double(count)
    let variances = squares / Double(count) - means * means
    guard variances.min() >= variance, variances.sum() > 0 else { return 0 }
    return 2 * (products / Double(count) - means.x * means.y) / variances.sum()
  }

  /// Returns the smoothed axes of one of the last `keptAxes` bins, in g. The fourth element is 0.
  func acceleration(_ bin: Int) -> SIMD4<Float> { axes[bin % Self.keptAxes] }

  /// Returns the difference between the highest and the lowest value, in g, in the half second that
  /// ends with a bin. A posture or a sensor's offset shifts all values equally, so it does not
  /// affect the result.
  func swing(_ bin: Int) -> Double { swings[bin % Self.kept] }
}
