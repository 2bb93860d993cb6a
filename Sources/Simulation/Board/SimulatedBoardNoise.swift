/// Generates reproducible noise for one sensor: the same seed produces the same numbers on every
/// machine.
struct SensorNoise: Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number of the splitmix64 sequence.
  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a uniformly distributed number that is at least 0 and less than 1.
  mutating func uniform() -> Double {
    Double(next() >> 11) / Double(UInt64(1) << 53)
  }

  /// Returns a nearly Gaussian number with standard deviation 1. The sum of twelve uniform numbers
  /// has a variance of 1 and no outliers beyond ±6.
  mutating func gaussian() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }

  mutating func vector() -> SIMD3<Double> {
    SIMD3(gaussian(), gaussian(), gaussian())
  }
}
