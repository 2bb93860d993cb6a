/// Describes how the values of one sample are encoded in a packet.
public struct SampleEncoding: Hashable, Sendable, BitwiseCopyable {
  /// Describes how one value is encoded.
  public enum Element: Hashable, Sendable, BitwiseCopyable {
    case int16
    case uint16
    /// A 32-bit integer. The sensors' ranges keep unsigned values below 2³¹.
    case int32
    /// A 32-bit IEEE 754 number, which is stored as its bit pattern.
    case float32

    /// In bytes.
    public var length: Int {
      switch self {
      case .int16, .uint16: 2
      case .int32, .float32: 4
      }
    }
  }

  public let element: Element
  /// Number of values in a sample, 1 to 4.
  public let axisCount: Int
  /// Number of bytes that a sample occupies, including surplus bytes after the last axis.
  public let length: Int
  /// Whether the first value in the packet belongs to the last axis, like the real part of a
  /// quaternion.
  public let isScalarFirst: Bool

  /// `surplus` is the number of bytes that follow the last value.
  public init(
    _ element: Element, axisCount: Int, surplus: Int = 0, isScalarFirst: Bool = false
  ) {
    precondition((1...4).contains(axisCount), "a sample must have 1 to 4 axes")
    self.element = element
    self.axisCount = axisCount
    length = axisCount * element.length + surplus
    self.isScalarFirst = isScalarFirst
  }

  /// Three signed words, the format used by all motion sensors.
  public static let vector = SampleEncoding(.int16, axisCount: 3)
  /// Four numbers with the real part first, the format in which sensor fusion sends the
  /// orientation.
  public static let quaternion = SampleEncoding(.float32, axisCount: 4, isScalarFirst: true)
}

/// The register that provides a sensor's samples, and the samples' encoding.
public struct SampleSource: Hashable, Sendable, BitwiseCopyable {
  public let module: ModuleID
  /// Register whose notifications contain one sample each, or that returns one sample in response
  /// to a read.
  public let register: UInt8
  /// Register whose notifications contain three samples each, or `nil` if the module has no such
  /// register.
  public let packedRegister: UInt8?
  /// Channel or pin that follows the header, or `nil` if the samples directly follow the header.
  public let index: UInt8?
  /// Whether samples are sent in response to reads instead of as a stream.
  public let isRead: Bool
  public let encoding: SampleEncoding

  /// Creates a sample source for a register that streams.
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

  /// Creates a sample source for a register that is polled rather than streamed. If the module has
  /// several channels, one must be specified.
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

  /// The samples, as a source for data processors and events.
  public var signal: SignalSource {
    SignalSource(
      PacketHeader(module, register, isRead: isRead), index: index ?? SignalSource.noIndex,
      length: encoding.length)
  }

  public var read: Command {
    .read(module, register, index.map { [$0] } ?? [])
  }
}
