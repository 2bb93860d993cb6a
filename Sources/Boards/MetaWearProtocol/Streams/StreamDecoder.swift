/// Turns the notifications of one stream into numbered samples; it neither allocates nor waits.
///
/// It owns the numbering of its stream, hence there is one per stream. A struct that lives where it
/// is used: as a class, exclusivity checks would cost more than decoding. What runs for each packet
/// is inlined into the caller, as the ring's ends are, so that between a packet and the ring there
/// is no call.
public struct StreamDecoder: Sendable {
  /// How the stream's samples are packed.
  public let layout: StreamLayout

  /// The bytes every packet of the stream begins with: module, register, and where there is one
  /// the channel or the processor.
  @usableFromInline let moduleCode: UInt8
  @usableFromInline let registerByte: UInt8
  @usableFromInline let index: UInt8?

  // Where everything stands is worked out once: it does not change from packet to packet.
  @usableFromInline let encoding: SampleEncoding
  /// Whether samples are three words.
  @usableFromInline let isVector: Bool
  /// Whether samples are quaternions, of which a packet holds one.
  @usableFromInline let isQuaternion: Bool
  @usableFromInline let samplesPerPacket: Int
  /// Where the board's count or tick stands, if it sends one.
  @usableFromInline let stampStart: Int
  /// Where the first sample stands.
  @usableFromInline let samplesStart: Int
  /// Bytes a packet has at least.
  @usableFromInline let packetLength: Int

  /// Number of the next sample in layouts where the board sends none.
  @usableFromInline var nextCounter: UInt32
  /// Number of the last sample in layouts where the board sends but its lower bits.
  private var lastStamp: UInt32?

  /// A decoder for samples from this source in this layout; `nil` if they cannot come so.
  ///
  /// `firstCounter` is where the numbering starts in layouts that carry no count.
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

  /// Whether a notification belongs to this stream, judged by its header alone.
  @inlinable @inline(__always)
  public func claims(_ packet: Span<UInt8>) -> Bool {
    guard packet.count >= 2, packet[0] == moduleCode, packet[1] == registerByte else {
      return false
    }
    guard let index else { return true }
    return packet.count >= 3 && packet[2] == index
  }

  /// Replaces what is in `batch` by the samples of one whole notification, header included.
  ///
  /// A packet that is too short or holds no number leaves the batch empty and, where the decoder
  /// does the numbering, uses up the numbers of the samples it was to hold. Bytes beyond the layout
  /// are ignored.
  @inlinable @inline(__always)
  public mutating func decode(
    _ packet: Span<UInt8>, into batch: inout SampleBatch
  ) throws(DecodeError) {
    batch.removeAll()
    guard claims(packet) else { throw .otherPacket }
    let first = try number(packet)
    // Literal counts, so that the loop of each is unrolled and needs no further checks.
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

  /// The number of a packet's first sample, once the packet is known to be long enough.
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
      // The board counts packets of two; the product wraps like the count itself.
      return packet.uint32(at: stampStart) &* 2
    case .counted(_, let stampLength):
      try packet.require(packetLength)
      return unwrapped(packet, at: stampStart, length: stampLength)
    }
  }

  /// The count of a packet, whose upper bytes the board may have had no room for: the last one if
  /// it ends so, which makes the packet a duplicate, else the next that does.
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
