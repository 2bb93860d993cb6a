internal import Glibc

/// Random numbers that are the same for the same seed (SplitMix64). A test prints its seed, so that
/// a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Begins with a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// Any 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to 1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number around 0, mostly below 2 and above -2 (normal, deviation 1).
  public mutating func gaussian() -> Double {
    (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
  }
}
