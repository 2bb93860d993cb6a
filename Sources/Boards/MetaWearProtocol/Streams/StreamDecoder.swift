/// Decodes one stream's notifications into numbered samples, without allocating memory or blocking.
///
/// A decoder numbers the samples of its stream, so each stream needs its own decoder. The decoder
/// is a struct that is stored in place: in a class, exclusivity checks would cost more than
/// decoding. The code that decodes packets and the code that writes to the ring are both inlined
/// into the caller. Moving samples from a packet to the ring therefore requires no function call.
///
/// Decode a packet with one sample from a BMI270 accelerometer. The value on `z` is 4,096 counts:
///
///     let sensor = Accelerometer(chip: .bmi270, revision: 0)
///     guard var decoder = StreamDecoder(sensor.samples, layout: .single) else { return }
///     var batch = SampleBatch()
///     let packet: [UInt8] = [0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10]
///     try decoder.decode(packet.span, into: &batch)
///     let sample = batch[0]
public struct StreamDecoder: Sendable {
  public let layout: StreamLayout

  /// First byte of every packet in the stream. It is followed by the register, and then by the
  /// channel or processor if there is one.
  @usableFromInline let moduleCode: UInt8
  @usableFromInline let registerByte: UInt8
  @usableFromInline let index: UInt8?

  // All offsets are computed in advance, because they are the same for all packets.
  @usableFromInline let encoding: SampleEncoding
  /// Whether samples are vectors of three words.
  @usableFromInline let isVector: Bool
  /// Whether samples are quaternions, one per packet.
  @usableFromInline let isQuaternion: Bool
  @usableFromInline let samplesPerPacket: Int
  /// Offset of the board's count or tick in a packet. Unused if the board sends neither.
  @usableFromInline let stampStart: Int
  /// Offset of the first sample in a packet.
  @usableFromInline let samplesStart: Int
  /// Minimum length in bytes of the stream's packets.
  @usableFromInline let packetLength: Int

  /// Sequence number of the next sample, for layouts without a count from the board.
  @usableFromInline var nextCounter: UInt32
  /// The last full count, for layouts that contain only the lower bytes of the count.
  private var lastStamp: UInt32?

  /// Creates a decoder for samples from this source in this layout. Returns `nil` if the layout
  /// cannot be used for the source.
  ///
  /// `firstCounter` is the number of the first sample in layouts without a count from the board.
  public init?(_ source: SampleSource, layout: StreamLayout, firstCounter: UInt32 = 0) {
    guard layout.kind.fits(source) else { return nil }
    self.layout = layout
    encoding = source.encoding
    nextCounter = firstCounter
    let header: PacketHeader
    switch layout {
    case .single:
      header = PacketHeader(source.module, source.register, isRead: source.isRead)
      index = source.index
    case .packed:
      guard let packed = source.packedRegister else { return nil }
      header = PacketHeader(source.module, packed)
      index = nil
    case .countedPair(let processor), .counted(let processor, _), .timed(let processor):
      header = PacketHeader(.dataProcessor, 0x03)
      index = processor
    }
    moduleCode = header.moduleCode
    registerByte = header.registerByte
    samplesPerPacket = layout.samplesPerPacket
    isVector = encoding == .vector
    isQuaternion = encoding == .quaternion && samplesPerPacket == 1
    stampStart = index == nil ? 2 : 3
    samplesStart = stampStart + layout.stampLength
    packetLength = samplesStart + samplesPerPacket * encoding.length
  }

  /// Number of samples received, including samples in unreadable packets, for layouts without a
  /// count from the board.
  public var numbered: UInt32 { nextCounter }

  /// Returns whether a notification belongs to this stream. Examines only the first few bytes of
  /// the notification.
  @inlinable @inline(__always)
  public func claims(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 2, packet[0] == moduleCode, packet[1] == registerByte else {
      return false
    }
    guard let index else { return true }
    return packet.count >= 3 && packet[2] == index
  }

  /// Replaces the contents of `batch` with one complete notification's samples. The notification
  /// must include its header.
  ///
  /// If a packet is too short or contains a non-finite number, the batch is left empty. If the
  /// decoder numbers the samples, it skips the numbers of the missing samples. Bytes after the last
  /// expected one are ignored.
  @inlinable @inline(__always)
  public mutating func decode(
    _ packet: Span<UInt8>, into batch: inout SampleBatch
  ) throws(DecodeError) {
    guard claims(packet) else {
      batch.removeAll()
      throw .otherPacket
    }
    try decode(claimed: packet, into: &batch)
  }

  /// Decodes a packet that is known to belong to this stream.
  @inlinable @inline(__always)
  public mutating func decode(
    claimed packet: Span<UInt8>, into batch: inout SampleBatch
  ) throws(DecodeError) {
    batch.removeAll()
    let first = try number(packet)
    // Literal counts allow the compiler to unroll each loop and to omit further checks.
    switch (isVector, samplesPerPacket) {
    case (true, 1): batch.fillVectors(1, from: packet, at: samplesStart, firstCounter: first)
    case (true, 2): batch.fillVectors(2, from: packet, at: samplesStart, firstCounter: first)
    case (true, 3): batch.fillVectors(3, from: packet, at: samplesStart, firstCounter: first)
    case _ where isQuaternion:
      try batch.fillQuaternion(from: packet, at: samplesStart, counter: first)
    default:
      try batch.fill(
        samplesPerPacket, from: packet, at: samplesStart, encoding, firstCounter: first)
    }
    if case .timed = layout { batch.stamp(tick: packet.int32(at: stampStart)) }
  }

  /// Returns the sequence number of the first sample in a packet. Throws if the packet is too
  /// short.
  @inlinable @inline(__always)
  mutating func number(_ packet: Span<UInt8>) throws(DecodeError) -> UInt32 {
    switch layout {
    case .single, .packed, .timed:
      let first = nextCounter
      nextCounter &+= UInt32(truncatingIfNeeded: samplesPerPacket)
      try packet.require(packetLength)
      return first
    case .countedPair:
      try packet.require(packetLength)
      // The board counts packets, and each packet contains two samples. The product wraps like the
      // count itself.
      return packet.uint32(at: stampStart) &* 2
    case .counted(_, let stampLength):
      try packet.require(packetLength)
      return unwrapped(packet, at: stampStart, length: stampLength)
    }
  }

  /// Returns a packet's full count, even if the board sent only the lower bytes. If the lower bytes
  /// match those of the last count, the packet is a duplicate and has the same count. Otherwise,
  /// the result is the next larger count with these lower bytes.
  @usableFromInline
  mutating func unwrapped(
    _ packet: Span<UInt8>, at offset: Int, length: Int
  ) -> UInt32 {
    guard length < 4 else { return packet.uint32(at: offset) }
    var stamp: UInt32 = 0
    for position in 0..<length {
      stamp |= UInt32(packet[offset + position]) << UInt32(8 * position)
    }
    let mask = UInt32(1) << UInt32(8 * length) &- 1
    let number = lastStamp.map { $0 &+ (stamp &- $0) & mask } ?? stamp
    lastStamp = number
    return number
  }
}
