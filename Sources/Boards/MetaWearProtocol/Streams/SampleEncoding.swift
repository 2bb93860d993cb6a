/// How the values of one sample stand in a packet.
public struct SampleEncoding: Hashable, Sendable, BitwiseCopyable {
  /// One value.
  public enum Element: Hashable, Sendable, BitwiseCopyable {
    /// Sixteen bits in two's complement.
    case int16
    /// Sixteen bits without sign.
    case uint16
    /// Thirty-two bits; those without sign stay below 2³¹ by what their sensors can measure.
    case int32
    /// An IEEE 754 number, kept as its bit pattern.
    case float32

    /// Bytes in a packet.
    public var length: Int {
      switch self {
      case .int16, .uint16: 2
      case .int32, .float32: 4
      }
    }
  }

  /// What each value is.
  public let element: Element
  /// How many values make a sample, 1 to 4.
  public let axisCount: Int
  /// Bytes of a sample, those after the last axis included.
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

  /// Three words, as all motion sensors send them.
  public static let vector = SampleEncoding(.int16, axisCount: 3)
  /// Four numbers, the real part first, as the sensor fusion sends its orientation.
  public static let quaternion = SampleEncoding(.float32, axisCount: 4, isScalarFirst: true)
}

/// Where the samples of a sensor come from, and how they are written.
public struct SampleSource: Hashable, Sendable, BitwiseCopyable {
  /// The module.
  public let module: ModuleID
  /// Register that notifies one sample a packet, or that answers a read with one.
  public let register: UInt8
  /// Register that notifies three samples a packet; `nil` where there is none.
  public let packedRegister: UInt8?
  /// Channel or pin that follows the header; `nil` where samples follow at once.
  public let index: UInt8?
  /// Whether samples are answers to a read rather than a stream.
  public let isRead: Bool
  /// How a sample is written.
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

  /// A register that has to be read, with the channel where the module has several.
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

  /// Where a data processor or an event finds the samples.
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
