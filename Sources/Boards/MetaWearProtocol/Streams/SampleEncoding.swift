/// The encoding of one sample's values in a packet.
public struct SampleEncoding: Hashable, Sendable, BitwiseCopyable {
  /// One value.
  public enum Element: Hashable, Sendable, BitwiseCopyable {
    /// Signed, 16 bits.
    case int16
    /// Unsigned, 16 bits.
    case uint16
    /// 32 bits; unsigned values stay below 2³¹ because of their sensors' ranges.
    case int32
    /// An IEEE 754 number, kept as its bit pattern.
    case float32

    /// Its length in bytes.
    public var length: Int {
      switch self {
      case .int16, .uint16: 2
      case .int32, .float32: 4
      }
    }
  }

  /// The encoding of each value.
  public let element: Element
  /// Number of values in a sample, 1 to 4.
  public let axisCount: Int
  /// Bytes of a sample, including those after the last axis.
  public let length: Int
  /// Whether the first value on the wire is the last axis: a quaternion's real part.
  public let isScalarFirst: Bool

  /// An encoding; `surplus` bytes follow the last value.
  public init(
    _ element: Element, axisCount: Int, surplus: Int = 0, isScalarFirst: Bool = false
  ) {
    precondition((1...4).contains(axisCount), "a sample has 1 to 4 axes")
    self.element = element
    self.axisCount = axisCount
    length = axisCount * element.length + surplus
    self.isScalarFirst = isScalarFirst
  }

  /// Three words, as sent by all motion sensors.
  public static let vector = SampleEncoding(.int16, axisCount: 3)
  /// Four numbers, the real part first, as the sensor fusion sends its orientation.
  public static let quaternion = SampleEncoding(.float32, axisCount: 4, isScalarFirst: true)
}

/// The source of a sensor's samples, and their encoding.
public struct SampleSource: Hashable, Sendable, BitwiseCopyable {
  public let module: ModuleID
  /// Register that notifies one sample per packet, or answers a read with one.
  public let register: UInt8
  /// Register that notifies three samples per packet; `nil` if there is none.
  public let packedRegister: UInt8?
  /// Channel or pin after the header; `nil` if the samples follow the header directly.
  public let index: UInt8?
  /// Whether samples are answers to a read rather than a stream.
  public let isRead: Bool
  public let encoding: SampleEncoding

  /// A register that streams.
  public init(
    _ module: ModuleID, _ register: UInt8, packed: UInt8? = nil, encoding: SampleEncoding
  ) {
    self.module = module
    self.register = register
    packedRegister = packed
    index = nil
    isRead = false
    self.encoding = encoding
  }

  /// A register that must be read, with the channel if the module has several.
  public init(
    reading module: ModuleID, _ register: UInt8, index: UInt8? = nil, encoding: SampleEncoding
  ) {
    self.module = module
    self.register = register
    packedRegister = nil
    self.index = index
    isRead = true
    self.encoding = encoding
  }

  /// The source of the samples for a data processor or an event.
  public var signal: SignalSource {
    SignalSource(
      PacketHeader(module, register, isRead: isRead), index: index ?? SignalSource.noIndex,
      length: encoding.length)
  }

  /// The read that makes the board send a sample.
  public var read: Command {
    .read(module, register, index.map { [$0] } ?? [])
  }
}
