/// Turns the notifications of one stream into numbered samples; it neither allocates nor waits.
///
/// It owns the numbering of its stream, hence there is one per stream. A struct that lives where it is
/// used: as a class, exclusivity checks would cost more than decoding.
public struct StreamDecoder: Sendable {
  /// How the stream's samples are packed.
  public let layout: StreamLayout

  /// The bytes every packet of the stream begins with: module, register, and where there is one
  /// the channel or the processor.
  private let moduleCode: UInt8
  private let registerByte: UInt8
  private let index: UInt8?
  private let encoding: SampleEncoding
  /// Number of the next sample in layouts where the board sends none.
  private var nextCounter: UInt32
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
  }

  /// Whether a notification belongs to this stream, judged by its header alone.
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
  public mutating func decode(
    _ packet: Span<UInt8>, into batch: inout SampleBatch
  ) throws(DecodeError) {
    batch.removeAll()
    guard claims(packet) else { throw .otherPacket }
    let start = index == nil ? 2 : 3
    switch layout {
    case .single:
      try appendUncounted(packet, at: start, count: 1, to: &batch)
    case .packed:
      try appendUncounted(packet, at: start, count: 3, to: &batch)
    case .countedPair:
      try packet.require(start + 4 + 2 * encoding.length)
      // The board counts packets of two; the product wraps like the count itself.
      let first = packet.uint32(at: start) &* 2
      try append(packet, at: start + 4, number: first, to: &batch)
      try append(packet, at: start + 4 + encoding.length, number: first &+ 1, to: &batch)
    case .counted(_, let stampLength):
      try packet.require(start + stampLength + encoding.length)
      let number = unwrapped(packet, at: start, length: stampLength)
      try append(packet, at: start + stampLength, number: number, to: &batch)
    case .timed:
      let number = nextCounter
      nextCounter &+= 1
      try packet.require(start + 4 + encoding.length)
      try append(packet, at: start + 4, number: number, to: &batch)
      batch.stamp(tick: packet.uint32(at: start))
    }
  }

  /// Samples which the decoder numbers itself.
  private mutating func appendUncounted(
    _ packet: Span<UInt8>, at start: Int, count: Int, to batch: inout SampleBatch
  ) throws(DecodeError) {
    let first = nextCounter
    nextCounter &+= UInt32(count)
    try packet.require(start + count * encoding.length)
    for position in 0..<count {
      try append(
        packet, at: start + position * encoding.length, number: first &+ UInt32(position),
        to: &batch)
    }
  }

  private func append(
    _ packet: Span<UInt8>, at offset: Int, number: UInt32, to batch: inout SampleBatch
  ) throws(DecodeError) {
    do throws(DecodeError) {
      batch.append(try CountedSample(counter: number, decoding: packet, at: offset, encoding))
    } catch {
      // All of a packet or none of it.
      batch.removeAll()
      throw error
    }
  }

  /// The count of a packet, whose upper bytes the board may have had no room for: the last one if it
  /// ends so, which makes the packet a duplicate, else the next that does.
  private mutating func unwrapped(
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
