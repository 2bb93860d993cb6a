internal import Glibc
internal import Values

/// A random number generator that produces the same numbers for the same seed. A test prints its
/// seed so that a failure can be reproduced.
public struct SeededGenerator: RandomNumberGenerator {
  private var source: SplitMix64

  public init(seed: UInt64) {
    source = SplitMix64(seed: seed)
  }

  /// Returns 64 random bits.
  public mutating func next() -> UInt64 { source.next() }

  /// Returns a random number from 0 up to, but not including, 1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a normally distributed number with mean 0 and standard deviation 1.
  public mutating func gaussian() -> Double {
    (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
  }
}
