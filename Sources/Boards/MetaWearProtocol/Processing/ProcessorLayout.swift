/// The layout of the bytes of a processor's output, or of a logged sample.
public struct ProcessorLayout: Hashable, Sendable {
  /// One value of the chain's source, with all its channels.
  public enum Element: Hashable, Sendable, CaseIterable {
    /// Signed, 16 bits.
    case int16
    /// Signed, 32 bits.
    case int32
    /// Unsigned, 32 bits.
    case uint32
    /// Three signed 16-bit numbers.
    case vector
    case vectorUpperBytes
    /// Two vectors, joined by a fuser.
    case twoVectors

    /// Its length in bytes.
    public var length: Int {
      switch self {
      case .int16: 2
      case .int32, .uint32: 4
      case .vector: 6
      case .vectorUpperBytes: 3
      case .twoVectors: 12
      }
    }

    /// Reads the raw counts at `offset`; the caller has checked the length.
    func counts(in bytes: Span<UInt8>, at offset: Int) -> [Int64] {
      func words(_ count: Int) -> [Int64] {
        (0..<count).map { Int64(bytes.int16(at: offset + 2 * $0)) }
      }
      switch self {
      case .int16: return words(1)
      case .int32: return [Int64(bytes.int32(at: offset))]
      case .uint32: return [Int64(bytes.uint32(at: offset))]
      case .vector: return words(3)
      case .vectorUpperBytes:
        return (0..<3).map { Int64(Int8(bitPattern: bytes[offset + $0])) * 256 }
      case .twoVectors: return words(6)
      }
    }
  }

  /// One value, with an accounter's stamp if there is one.
  public struct Sample: Hashable, Sendable {
    /// Tick or count, modulo 256 or more depending on its bytes.
    public let stamp: UInt32?
    /// Raw counts by channel.
    public let counts: [Int64]
  }

  /// The value.
  public let element: Element
  /// Bytes of an accounter's stamp before each value, 0 for none.
  public let stampLength: Int
  /// Whether values follow one another up to the end of the packet.
  public let isPacked: Bool

  public init(element: Element, stampLength: Int = 0, isPacked: Bool = false) {
    self.element = element
    self.stampLength = stampLength
    self.isPacked = isPacked
  }

  /// Reads an output `09 03 id …`, or the state read from a processor `09 84 id …`.
  public func samples(decoding packet: Span<UInt8>) throws(DecodeError) -> [Sample] {
    let header = try PacketHeader(decoding: packet)
    let isState = header == PacketHeader(.dataProcessor, 0x04, isRead: true)
    guard isState || header == PacketHeader(.dataProcessor, 0x03) else { throw .otherPacket }
    return try samples(in: packet, from: 3)
  }

  /// Reads the bytes of a logged sample.
  public func samples(logged bytes: Span<UInt8>) throws(DecodeError) -> [Sample] {
    try samples(in: bytes, from: 0)
  }

  private func samples(in bytes: Span<UInt8>, from start: Int) throws(DecodeError) -> [Sample] {
    let length = stampLength + element.length
    try bytes.require(start + length)
    let count = isPacked ? (bytes.count - start) / length : 1
    return (0..<count).map { position in
      let offset = start + position * length
      var stamp: UInt32 = 0
      for index in 0..<stampLength { stamp |= UInt32(bytes[offset + index]) << UInt32(8 * index) }
      return Sample(
        stamp: stampLength > 0 ? stamp : nil,
        counts: element.counts(in: bytes, at: offset + stampLength))
    }
  }
}
