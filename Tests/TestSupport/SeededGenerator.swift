internal import Glibc
internal import Values

/// Random numbers that are the same for the same seed. A test prints its seed, so that
/// a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator {
  private var source: SplitMix64

  /// Begins with a seed.
  public init(seed: UInt64) {
    source = SplitMix64(seed: seed)
  }

  /// Any 64 bits.
  public mutating func next() -> UInt64 { source.next() }

  /// A number from 0 up to 1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number around 0, mostly below 2 and above -2 (normal, deviation 1).
  public mutating func gaussian() -> Double {
    (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
  }
}
