public import Recording

/// The layout of a stream's samples in notifications.
public enum StreamLayout: Hashable, Sendable, BitwiseCopyable {
  /// One sample per packet, straight from the sensor.
  case single
  /// Three samples per packet, oldest first.
  case packed
  /// A packet count and two samples, from a packer followed by a counter with this id.
  ///
  /// 19 bytes leave no room for a third.
  case countedPair(processor: UInt8)
  /// A count in `stampLength` bytes and one sample, from a counter with this id.
  case counted(processor: UInt8, stampLength: Int)
  /// The board's tick and one sample, from a processor with this id.
  case timed(processor: UInt8)

  /// Samples in a packet; also the assumed number for a packet that cannot be read.
  public var samplesPerPacket: Int { kind.samplesPerPacket }

  /// Bytes of the count or the tick before the samples.
  var stampLength: Int {
    switch self {
    case .single, .packed: 0
    case .countedPair, .timed: 4
    case .counted(_, let length): length
    }
  }

  /// Whether lost samples are counted or inferred.
  public var lossAccounting: StreamDescription.LossAccounting { kind.lossAccounting }

  /// The kind of layout, independent of ids.
  public var kind: Kind {
    switch self {
    case .single: .single
    case .packed: .packed
    case .countedPair: .countedPair
    case .counted: .counted
    case .timed: .timed
    }
  }

  /// A layout as requested, before the board has given out ids.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    // The raw value is its name on the command line and in reports.
    case single
    case packed
    case countedPair = "counted-pair"
    case counted
    case timed

    public var samplesPerPacket: Int {
      switch self {
      case .single, .counted, .timed: 1
      case .packed: 3
      case .countedPair: 2
      }
    }

    /// Whether lost samples are counted or inferred.
    public var lossAccounting: StreamDescription.LossAccounting {
      switch self {
      case .countedPair, .counted: .counted
      case .single, .packed, .timed: .estimated
      }
    }

    /// Most bytes of a processor's output in one packet.
    private static let outputLimit = 17

    /// Whether samples from this source can be sent in this layout on any board.
    public func fits(_ source: SampleSource) -> Bool {
      let length = source.encoding.length
      switch self {
      case .single: return true
      case .packed: return source.packedRegister != nil
      // The packer announces the length of one sample in three bits.
      case .countedPair: return !source.isRead && length <= 8 && 4 + 2 * length <= Self.outputLimit
      case .counted: return !source.isRead && 1 + length <= Self.outputLimit
      case .timed: return !source.isRead && source.encoding.axisCount < 4 && length <= 12
      }
    }

    /// Whether the layout needs the board's data processors.
    public var needsProcessor: Bool {
      switch self {
      case .single, .packed: false
      case .countedPair, .counted, .timed: true
      }
    }
  }
}
