/// Describes how the bytes of a processor's output or of a logged sample are arranged.
public struct ProcessorLayout: Hashable, Sendable {
  /// The encoding of one value with all its channels, as output by the source of a processor chain.
  public enum Element: Hashable, Sendable, CaseIterable {
    case int16
    case int32
    case uint32
    /// Three signed 16-bit numbers.
    case vector
    case vectorUpperBytes
    /// Two vectors combined by a fuser.
    case twoVectors

    /// In bytes.
    public var length: Int {
      switch self {
      case .int16: 2
      case .int32, .uint32: 4
      case .vector: 6
      case .vectorUpperBytes: 3
      case .twoVectors: 12
      }
    }

    /// The caller must have checked the length.
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

  /// One value, together with an accounter's stamp if the output contains one.
  public struct Sample: Hashable, Sendable {
    /// The board's tick or a running count, as stamped by an accounter. A stamp of n bytes wraps at
    /// 256ⁿ.
    public let stamp: UInt32?
    /// Raw counts of the value, by channel.
    public let counts: [Int64]
  }

  public let element: Element
  /// Length in bytes of the accounter's stamp before each value, or 0 if values have no stamp.
  public let stampLength: Int
  /// Whether the packet contains as many consecutive values as fit.
  public let isPacked: Bool

  public init(element: Element, stampLength: Int = 0, isPacked: Bool = false) {
    self.element = element
    self.stampLength = stampLength
    self.isPacked = isPacked
  }

  /// Decodes the samples in an output `09 03 id …` or in a processor's state `09 84 id …`.
  public func samples(decoding packet: Span<UInt8>) throws(DecodeError) -> [Sample] {
    let header = try PacketHeader(decoding: packet)
    let isState = header == PacketHeader(.dataProcessor, 0x04, isRead: true)
    guard isState || header == PacketHeader(.dataProcessor, 0x03) else { throw .otherPacket }
    return try samples(in: packet, from: 3)
  }

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
