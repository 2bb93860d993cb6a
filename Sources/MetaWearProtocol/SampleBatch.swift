/// One sample and the number under which the board, or in its stead the decoder, counts it.
public struct CountedSample: Hashable, Sendable, BitwiseCopyable {
  /// Number of the sample modulo 2³².
  public var counter: UInt32
  /// Raw value of the first axis.
  public var x: Int32
  /// Raw value of the second axis; 0 where there is none.
  public var y: Int32
  /// Raw value of the third axis; 0 where there is none.
  public var z: Int32
  /// Raw value of the fourth axis, or the board's tick as a bit pattern; 0 where there is neither.
  public var w: Int32

  @inlinable
  init(counter: UInt32, x: Int32, y: Int32 = 0, z: Int32 = 0, w: Int32 = 0) {
    self.counter = counter
    self.x = x
    self.y = y
    self.z = z
    self.w = w
  }

  /// Reads the sample at `offset`; the caller has checked the length.
  @inlinable
  init(
    counter: UInt32, decoding packet: Span<UInt8>, at offset: Int, _ encoding: SampleEncoding
  ) throws(DecodeError) {
    self.init(counter: counter, x: 0)
    switch (encoding.element, encoding.axisCount) {
    case (.int16, 3):
      // What motion sensors send, all day long.
      x = Int32(packet.int16(at: offset))
      y = Int32(packet.int16(at: offset + 2))
      z = Int32(packet.int16(at: offset + 4))
    default:
      for axis in 0..<encoding.axisCount {
        let place = offset + axis * encoding.element.length
        let value: Int32
        switch encoding.element {
        case .int16: value = Int32(packet.int16(at: place))
        case .uint16: value = Int32(packet.uint16(at: place))
        case .int32: value = packet.int32(at: place)
        case .float32:
          value = packet.int32(at: place)
          // The library on the board may yield NaN while it settles.
          guard Float(bitPattern: UInt32(bitPattern: value)).isFinite else {
            throw .notFinite(at: place)
          }
        }
        set(encoding.isScalarFirst ? (axis + 3) % 4 : axis, value)
      }
    }
  }

  @inlinable
  mutating func set(_ axis: Int, _ value: Int32) {
    switch axis {
    case 0: x = value
    case 1: y = value
    case 2: z = value
    default: w = value
    }
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
    samples = InlineArray(repeating: CountedSample(counter: 0, x: 0))
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

  /// Puts the board's tick into the fourth axis of the last sample, which has but three.
  mutating func stamp(tick: UInt32) {
    samples[count - 1].w = Int32(bitPattern: tick)
  }
}
