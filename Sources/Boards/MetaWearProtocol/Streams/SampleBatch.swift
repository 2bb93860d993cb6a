/// One sample and its number, counted by the board or, failing that, by the decoder.
public struct CountedSample: Hashable, Sendable, BitwiseCopyable {
  /// Number of the sample modulo 2³².
  public var counter: UInt32
  /// Raw value of the first axis.
  public var x: Int32
  /// Raw value of the second axis; 0 if there is none.
  public var y: Int32
  /// Raw value of the third axis; 0 if there is none.
  public var z: Int32
  /// Raw value of the fourth axis, or the board's tick as a bit pattern; 0 if there is neither.
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

/// The samples of one notification: room for three, without allocation.
///
/// A decoder creates the batch once and fills it for each packet.
public struct SampleBatch: Sendable, BitwiseCopyable {
  /// The most samples a packet can hold.
  public static let capacity = 3

  /// Number of samples in the batch.
  @inlinable
  public var count: Int { length }
  @usableFromInline var length = 0
  @usableFromInline var samples: InlineArray<3, CountedSample>

  /// An empty batch.
  @inlinable
  public init() {
    samples = InlineArray(repeating: CountedSample(counter: 0, x: 0))
  }

  /// The sample at `index`, which must be below `count`; oldest first.
  @inlinable
  public subscript(index: Int) -> CountedSample {
    precondition(index < count, "a batch has no sample there")
    return samples[index]
  }

  @inlinable
  mutating func removeAll() {
    length = 0
  }

  /// Takes the vectors of three words from `offset` on, the usual samples of motion sensors; the
  /// caller has checked the length.
  @inlinable @inline(__always)
  mutating func fillVectors(
    _ count: Int, from packet: Span<UInt8>, at offset: Int, firstCounter: UInt32
  ) {
    let values = packet.extracting(droppingFirst: offset)
    // One check of the length spares the compiler one for each byte.
    precondition(values.count >= count * Vector.encodedLength, "the caller checks the length")
    for position in 0..<count {
      let vector = Vector(decoding: values, at: position * Vector.encodedLength)
      samples[position] = CountedSample(
        counter: firstCounter &+ UInt32(truncatingIfNeeded: position),
        x: Int32(vector.x), y: Int32(vector.y), z: Int32(vector.z))
    }
    length = count
  }

  /// Takes the quaternion at `offset`, real part first; the caller has checked the length.
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
    // The board's fusion library may yield NaN while it settles.
    guard w.isFiniteFloat, x.isFiniteFloat, y.isFiniteFloat, z.isFiniteFloat else {
      let parts = [w, x, y, z]
      throw .notFinite(at: offset + 4 * (parts.firstIndex { !$0.isFiniteFloat } ?? 0))
    }
    samples[0] = CountedSample(counter: counter, x: x, y: y, z: z, w: w)
    length = 1
  }

  /// Takes samples of any encoding: all of them or none.
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

  /// Puts the board's tick into the fourth axis of the only sample, which has just three axes.
  @inlinable
  mutating func stamp(tick: Int32) {
    samples[0].w = tick
  }
}

extension Int32 {
  /// Whether the bits are a finite number: the exponent is not that of infinity and NaN.
  @inlinable @inline(__always)
  var isFiniteFloat: Bool { self & 0x7f80_0000 != 0x7f80_0000 }
}
