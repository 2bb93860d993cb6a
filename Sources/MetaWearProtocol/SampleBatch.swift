/// One sample and the number under which the board, or in its stead the decoder, counts it.
public struct CountedSample: Hashable, Sendable, BitwiseCopyable {
  /// Number of the sample modulo 2³².
  public var counter: UInt32
  /// Raw counts of the first axis.
  public var x: Int32
  /// Raw counts of the second axis.
  public var y: Int32
  /// Raw counts of the third axis.
  public var z: Int32

  @inlinable
  init(counter: UInt32, _ vector: Vector) {
    self.counter = counter
    x = Int32(vector.x)
    y = Int32(vector.y)
    z = Int32(vector.z)
  }
}

/// The samples of one notification: room for three, without allocation.
///
/// Made once by whoever decodes, and filled anew for each packet.
public struct SampleBatch: Sendable, BitwiseCopyable {
  /// The most samples a packet can hold.
  public static let capacity = 3

  /// How many samples it holds.
  public internal(set) var count = 0
  private var samples: InlineArray<3, CountedSample>

  /// An empty batch.
  public init() {
    samples = InlineArray(repeating: CountedSample(counter: 0, Vector(x: 0, y: 0, z: 0)))
  }

  /// The sample at `index`, which must be below `count`; oldest first.
  public subscript(index: Int) -> CountedSample {
    precondition(index < count, "a batch of \(count) samples has none at \(index)")
    return samples[index]
  }

  mutating func removeAll() {
    count = 0
  }

  mutating func append(_ sample: CountedSample) {
    samples[count] = sample
    count += 1
  }
}
