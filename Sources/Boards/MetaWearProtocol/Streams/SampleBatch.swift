/// A sample and its sequence number. The board counts the samples if it can; otherwise, the decoder
/// does.
public struct CountedSample: Hashable, Sendable, BitwiseCopyable {
  /// Sequence number of the sample, modulo 2³².
  public var counter: UInt32
  public var x: Int32
  /// Raw value of the second axis, or 0 if the signal has fewer axes.
  public var y: Int32
  /// Raw value of the third axis, or 0 if the signal has fewer axes.
  public var z: Int32
  /// Raw value of the fourth axis, the bit pattern of the board's tick, or 0 if there is neither.
  public var w: Int32

  @inlinable
  init(counter: UInt32, x: Int32, y: Int32 = 0, z: Int32 = 0, w: Int32 = 0) {
    self.counter = counter
    self.x = x
    self.y = y
    self.z = z
    self.w = w
  }

  /// The caller must have checked the length.
  init(
    counter: UInt32, decoding packet: Span<UInt8>, at offset: Int, _ encoding: SampleEncoding
  ) throws(DecodeError) {
    self.init(counter: counter, x: 0)
    for axis in 0..<encoding.axisCount {
      let place = offset + axis * encoding.element.length
      let value: Int32
      switch encoding.element {
      case .int16: value = Int32(packet.int16(at: place))
      case .uint16: value = Int32(packet.uint16(at: place))
      case .int32: value = packet.int32(at: place)
      case .float32:
        value = packet.int32(at: place)
        guard value.isFiniteFloat else { throw .notFinite(at: place) }
      }
      set(encoding.isScalarFirst ? (axis + 3) % 4 : axis, value)
    }
  }

  private mutating func set(_ axis: Int, _ value: Int32) {
    switch axis {
    case 0: x = value
    case 1: y = value
    case 2: z = value
    default: w = value
    }
  }
}

/// The samples in one notification. The batch has space for three samples and needs no allocation.
///
/// The owner of a decoder creates the batch once and reuses it for each packet.
public struct SampleBatch: Sendable, BitwiseCopyable {
  /// Maximum number of samples in a packet.
  public static let capacity = 3

  @inlinable
  public var count: Int { length }
  @usableFromInline var length = 0
  @usableFromInline var samples: InlineArray<3, CountedSample>

  @inlinable
  public init() {
    samples = InlineArray(repeating: CountedSample(counter: 0, x: 0))
  }

  /// Returns the sample at `index`, which must be below `count`. The oldest sample comes first.
  @inlinable
  public subscript(index: Int) -> CountedSample {
    precondition(index < count, "the index is not below the number of samples")
    return samples[index]
  }

  @inlinable
  mutating func removeAll() {
    length = 0
  }

  /// Fills the batch with vectors, starting at `offset`. Each vector consists of three words, the
  /// format that most motion sensors use. The caller must have checked the length.
  @inlinable @inline(__always)
  mutating func fillVectors(
    _ count: Int, from packet: Span<UInt8>, at offset: Int, firstCounter: UInt32
  ) {
    let values = packet.extracting(droppingFirst: offset)
    // A single length check here replaces a check for each byte.
    precondition(values.count >= count * Vector.encodedLength, "the caller checks the length")
    for position in 0..<count {
      let vector = Vector(decoding: values, at: position * Vector.encodedLength)
      samples[position] = CountedSample(
        counter: firstCounter &+ UInt32(truncatingIfNeeded: position),
        x: Int32(vector.x), y: Int32(vector.y), z: Int32(vector.z))
    }
    length = count
  }

  /// Fills the batch with the quaternion that starts at `offset` with its real part. The caller
  /// must have checked the length.
  @inlinable @inline(__always)
  mutating func fillQuaternion(
    from packet: Span<UInt8>, at offset: Int, counter: UInt32
  ) throws(DecodeError) {
    let values = packet.extracting(droppingFirst: offset)
    precondition(values.count >= 16, "the caller checks the length")
    let w = values.int32(at: 0)
    let x = values.int32(at: 4)
    let y = values.int32(at: 8)
    let z = values.int32(at: 12)
    // The board's fusion library may produce NaN while it settles.
    guard w.isFiniteFloat, x.isFiniteFloat, y.isFiniteFloat, z.isFiniteFloat else {
      let parts = [w, x, y, z]
      throw .notFinite(at: offset + 4 * (parts.firstIndex { !$0.isFiniteFloat } ?? 0))
    }
    samples[0] = CountedSample(counter: counter, x: x, y: y, z: z, w: w)
    length = 1
  }

  /// Fills the batch with samples in any encoding. Adds either all samples or none.
  @usableFromInline @inline(never)
  mutating func fill(
    _ count: Int, from packet: Span<UInt8>, at offset: Int, _ encoding: SampleEncoding,
    firstCounter: UInt32
  ) throws(DecodeError) {
    for position in 0..<count {
      samples[position] = try CountedSample(
        counter: firstCounter &+ UInt32(truncatingIfNeeded: position), decoding: packet,
        at: offset + position * encoding.length, encoding)
    }
    length = count
  }

  /// Stores the board's tick as the fourth axis of the batch's only sample, which must have three
  /// axes.
  @inlinable
  mutating func stamp(tick: Int32) {
    samples[0].w = tick
  }
}

extension Int32 {
  /// Whether the bit pattern represents a finite number. The exponent of a finite number differs
  /// from that of infinity and NaN.
  @inlinable @inline(__always)
  var isFiniteFloat: Bool { self & 0x7f80_0000 != 0x7f80_0000 }
}
