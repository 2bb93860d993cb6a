/// Generates bytes on a serial line that are not part of any sentence: bytes read at the wrong baud
/// rate, and plain noise.
public struct LineNoise: Sendable {
  private var noise: SensorNoise

  /// Creates a noise generator whose output depends only on the seed.
  public init(seed: UInt64 = 1) {
    noise = SensorNoise(seed: seed)
  }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(noise.uniform() * 256) }
  }

  /// Returns the bytes that a reader at another baud rate receives: the same number, but with start
  /// and stop bits in the wrong places.
  public mutating func misread(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { byte in
      let turn = Int(noise.uniform() * 7) + 1
      return (byte << turn | byte >> (8 - turn)) ^ 0x80
    }
  }
}
