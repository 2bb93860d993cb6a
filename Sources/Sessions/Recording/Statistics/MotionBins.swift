/// The last half minute of an accelerometer's magnitude, resampled to 25 values per second.
///
/// A value is the magnitude of the acceleration minus gravity. It has no direction, so the
/// orientation of the board does not matter.
struct MotionBins: Sendable {
  /// Seconds per bin. 25 bins per second resolve the fastest steps.
  static let seconds = 0.04
  /// Number of bins stored, which together span half a minute. Hesitant steps may not show a rhythm
  /// for that long.
  static let kept = 750
  /// Number of bins in the moving average that smooths the ringing after a foot strike.
  private static let smoothing = 3
  /// Number of bins over which the swing is measured. Half a second includes the rise and the fall
  /// of a step.
  static let swingSpan = 12
  /// Limit in g, not including gravity, at which foot strikes are clipped, since a slow stream
  /// captures a varying part of each strike.
  private static let strike = 1.0

  /// The smoothed values. All arrays are ring buffers: bin `n` is at index `n % kept`.
  private var values = [Double](repeating: 0, count: kept)
  /// The difference between the highest and the lowest smoothed value in the half second that ends
  /// with each bin.
  private var swings = [Double](repeating: 0, count: kept)
  private var raw = [Double](repeating: 0, count: smoothing)
  /// Number of bins since the samples began, which is the number of the next bin.
  private(set) var count = 0
  private var sum = 0.0
  private var samples = 0.0

  mutating func removeAll() {
    (count, sum, samples) = (0, 0, 0)
  }

  /// Adds a sample in g to the open bin.
  mutating func add(_ magnitude: Double) {
    guard magnitude.isFinite else { return }
    sum += min(max(magnitude - 1, -Self.strike), Self.strike)
    samples += 1
  }

  /// Closes the open bin, and smooths its value.
  mutating func close() {
    // If the stream is slow, some bins contain no sample.
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

  /// Returns the value of a bin, in g.
  func value(_ bin: Int) -> Double { values[bin % Self.kept] }

  /// Returns the difference between the highest and the lowest value, in g, in the half second that
  /// ends with a bin. A posture or a sensor's offset shifts all values equally, so it does not
  /// affect the result.
  func swing(_ bin: Int) -> Double { swings[bin % Self.kept] }
}
