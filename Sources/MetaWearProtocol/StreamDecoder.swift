/// Turns the notifications of one stream into numbered samples; it neither allocates nor waits.
///
/// It owns the numbering of its stream, hence there is one per stream. A struct that lives where it is
/// used: as a class, exclusivity checks would cost more than decoding.
public struct StreamDecoder: Sendable {
  /// How the stream's samples are packed.
  public let layout: StreamLayout

  private let moduleCode: UInt8
  private let registerByte: UInt8
  /// Number of the next sample in layouts where the board sends none.
  private var nextCounter: UInt32

  /// A decoder for a sensor's samples in this layout; `nil` if the sensor cannot send it.
  ///
  /// `firstCounter` is where the numbering starts in layouts that carry no count; a stream that
  /// is taken up again after a lost link goes on from where it was plus what is taken to be lost.
  public init?(_ sensor: any MotionSensor, layout: StreamLayout, firstCounter: UInt32 = 0) {
    self.layout = layout
    nextCounter = firstCounter
    if case .countedPair = layout {
      moduleCode = ModuleID.dataProcessor.rawValue
      registerByte = 0x03
    } else {
      guard let register = sensor.register(for: layout) else { return nil }
      moduleCode = sensor.module.rawValue
      registerByte = register
    }
  }

  /// Whether a notification belongs to this stream, judged by its header alone.
  public func claims(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 2, packet[0] == moduleCode, packet[1] == registerByte else {
      return false
    }
    guard case .countedPair(let processor) = layout else { return true }
    return packet.count >= 3 && packet[2] == processor
  }

  /// Replaces what is in `batch` by the samples of one whole notification, header included.
  ///
  /// A packet that is too short leaves the batch empty and, where the decoder does the numbering,
  /// uses up the numbers of the samples it was to hold. Bytes beyond the layout are ignored.
  public mutating func decode(
    _ packet: Span<UInt8>, into batch: inout SampleBatch
  ) throws(DecodeError) {
    batch.removeAll()
    guard claims(packet) else { throw .otherPacket }
    switch layout {
    case .single:
      try decode(packet, count: 1, into: &batch)
    case .packed:
      try decode(packet, count: 3, into: &batch)
    case .countedPair:
      try packet.require(7 + 2 * Vector.encodedLength)
      // The board counts packets of two; the product wraps like the count itself.
      let first = packet.uint32(at: 3) &* 2
      batch.append(CountedSample(counter: first, Vector(decoding: packet, at: 7)))
      batch.append(CountedSample(counter: first &+ 1, Vector(decoding: packet, at: 13)))
    }
  }

  private mutating func decode(
    _ packet: Span<UInt8>, count: Int, into batch: inout SampleBatch
  ) throws(DecodeError) {
    let first = nextCounter
    nextCounter &+= UInt32(count)
    try packet.require(2 + count * Vector.encodedLength)
    for index in 0..<count {
      let vector = Vector(decoding: packet, at: 2 + index * Vector.encodedLength)
      batch.append(CountedSample(counter: first &+ UInt32(index), vector))
    }
  }
}
