/// The last seconds of an accelerometer at 25 values a second, whatever its rate.
///
/// A value is the magnitude of the acceleration less gravity. It has no direction, so the
/// orientation of the board does not matter.
struct MotionBins: Sendable {
  /// Seconds of a bin: 25 bins a second resolve the fastest steps.
  static let seconds = 0.04
  /// Bins in memory: half a minute, since hesitant steps show no rhythm for a long time.
  static let kept = 750
  /// Bins of the moving mean that smooths the ringing of a strike.
  private static let smoothing = 3
  /// Bins over which the swing is measured: half a second contains a step's rise and fall.
  static let swingSpan = 12
  /// Limit of a strike, in g: how much of a strike a slow stream catches is chance.
  private static let strike = 1.0

  /// Smoothed values, and the range of the last half second. Rings: bin `n` is at index `n % kept`.
  private var values = [Double](repeating: 0, count: kept)
  private var swings = [Double](repeating: 0, count: kept)
  private var raw = [Double](repeating: 0, count: smoothing)
  /// Bins since the samples began; the next bin has this number.
  private(set) var count = 0
  private var sum = 0.0
  private var samples = 0.0

  /// Discards all bins.
  mutating func removeAll() {
    (count, sum, samples) = (0, 0, 0)
  }

  /// A sample of the open bin, in g.
  mutating func add(_ magnitude: Double) {
    guard magnitude.isFinite else { return }
    sum += min(max(magnitude - 1, -Self.strike), Self.strike)
    samples += 1
  }

  /// Closes the open bin.
  mutating func close() {
    // A slow stream leaves bins without a sample.
    let previous = count > 0 ? raw[(count - 1) % Self.smoothing] : 0
    raw[count % Self.smoothing] = samples > 0 ? sum / samples : previous
    (sum, samples) = (0, 0)
    let width = min(count + 1, Self.smoothing)
    var mean = 0.0
    for place in 0..<width { mean += raw[place] / Double(width) }
    values[count % Self.kept] = mean
    var (low, high) = (mean, mean)
    for number in max(0, count - Self.swingSpan + 1)..<count {
      let value = values[number % Self.kept]
      if value < low { low = value }
      if value > high { high = value }
    }
    swings[count % Self.kept] = high - low
    count += 1
  }

  /// The value of a bin, in g.
  func value(_ bin: Int) -> Double { values[bin % Self.kept] }

  /// The range of the values, in g, in the half second that ends with a bin. A posture or a
  /// sensor's offset shifts all values together, which does not affect it.
  func swing(_ bin: Int) -> Double { swings[bin % Self.kept] }
}
