/// Decodes the notifications of one stream into numbered samples; it neither allocates nor waits.
///
/// It owns the numbering of its stream, hence there is one decoder per stream. It is a struct
/// stored in place: as a class, exclusivity checks would cost more than decoding. The code for each
/// packet is inlined into the caller, like the ring's ends. So there is no call between a packet
/// and the ring.
///
/// A packet of a BMI270 accelerometer holds one sample, with 4,096 counts on `z`:
///
///     let sensor = Accelerometer(chip: .bmi270, revision: 0)
///     guard var decoder = StreamDecoder(sensor.samples, layout: .single) else { return }
///     var batch = SampleBatch()
///     let packet: [UInt8] = [0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10]
///     try decoder.decode(packet.span, into: &batch)
///     let sample = batch[0]
public struct StreamDecoder: Sendable {
  /// The layout of the stream's packets.
  public let layout: StreamLayout

  /// The first bytes of every packet of the stream: module, register, and the channel or the
  /// processor if there is one.
  @usableFromInline let moduleCode: UInt8
  @usableFromInline let registerByte: UInt8
  @usableFromInline let index: UInt8?

  // All offsets are computed once: they do not change from packet to packet.
  @usableFromInline let encoding: SampleEncoding
  /// Whether samples are three words.
  @usableFromInline let isVector: Bool
  /// Whether samples are quaternions, with one in each packet.
  @usableFromInline let isQuaternion: Bool
  @usableFromInline let samplesPerPacket: Int
  /// Offset of the board's count or tick, if it sends one.
  @usableFromInline let stampStart: Int
  /// Offset of the first sample.
  @usableFromInline let samplesStart: Int
  /// Minimum length of a packet in bytes.
  @usableFromInline let packetLength: Int

  /// Number of the next sample in layouts without a number from the board.
  @usableFromInline var nextCounter: UInt32
  /// Number of the last sample in layouts with only the number's lower bytes.
  private var lastStamp: UInt32?

  /// A decoder for samples from this source in this layout; `nil` if the combination is impossible.
  ///
  /// `firstCounter` is the first number in layouts that carry no count.
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

  /// Samples so far in a layout without a number from the board, unreadable ones included.
  public var numbered: UInt32 { nextCounter }

  /// Whether a notification belongs to this stream, judged by its first bytes alone.
  @inlinable @inline(__always)
  public func claims(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 2, packet[0] == moduleCode, packet[1] == registerByte else {
      return false
    }
    guard let index else { return true }
    return packet.count >= 3 && packet[2] == index
  }

  /// Replaces the content of `batch` by the samples of one whole notification, header included.
  ///
  /// A packet that is too short or contains a non-finite number leaves the batch empty. If the
  /// decoder does the numbering, the numbers of the missing samples are used up. Bytes beyond the
  /// layout are ignored.
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

  /// The same for a packet that the stream is known to claim.
  @inlinable @inline(__always)
  public mutating func decode(
    claimed packet: Span<UInt8>, into batch: inout SampleBatch
  ) throws(DecodeError) {
    batch.removeAll()
    let first = try number(packet)
    // Literal counts, so that each loop is unrolled and needs no further checks.
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

  /// The number of a packet's first sample; checks that the packet is long enough.
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
      // The board counts packets of two samples; the product wraps like the count itself.
      return packet.uint32(at: stampStart) &* 2
    case .counted(_, let stampLength):
      try packet.require(packetLength)
      return unwrapped(packet, at: stampStart, length: stampLength)
    }
  }

  /// The full count of a packet, of which the board may have sent only the lower bytes. If these
  /// equal the last count's, the packet is a duplicate with that count; otherwise it is the next
  /// count with these bytes.
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
