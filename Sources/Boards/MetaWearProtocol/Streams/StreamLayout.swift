public import Recording

/// The arrangement of a stream's samples in notifications.
public enum StreamLayout: Hashable, Sendable, BitwiseCopyable {
  /// Each packet contains one sample, directly from the sensor.
  case single
  /// Each packet contains three samples, oldest first.
  case packed
  /// Each packet contains a packet count and two samples. A packer combines the samples, and the
  /// counter with this id adds the count.
  ///
  /// A packet has 19 bytes in this layout, so there is no space for a third sample.
  case countedPair(processor: UInt8)
  /// Each packet contains a count of `stampLength` bytes and one sample. The counter with this id
  /// adds the count.
  case counted(processor: UInt8, stampLength: Int)
  /// Each packet contains the board's tick and one sample. The processor with this id adds the
  /// tick.
  case timed(processor: UInt8)

  /// Number of samples in a packet. An unreadable packet is assumed to contain the same number of
  /// samples.
  public var samplesPerPacket: Int { kind.samplesPerPacket }

  /// Length in bytes of the count or tick that precedes the samples.
  var stampLength: Int {
    switch self {
    case .single, .packed: 0
    case .countedPair, .timed: 4
    case .counted(_, let length): length
    }
  }

  /// Whether the number of lost samples is counted exactly or inferred.
  public var lossAccounting: StreamDescription.LossAccounting { kind.lossAccounting }

  /// The kind of layout, without processor ids.
  public var kind: Kind {
    switch self {
    case .single: .single
    case .packed: .packed
    case .countedPair: .countedPair
    case .counted: .counted
    case .timed: .timed
    }
  }

  /// The kind of layout, which can be requested before the board has assigned processor ids.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    // The raw value is the layout's name on the command line and in reports.
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

    /// Whether the number of lost samples is counted exactly or inferred.
    public var lossAccounting: StreamDescription.LossAccounting {
      switch self {
      case .countedPair, .counted: .counted
      case .single, .packed, .timed: .estimated
      }
    }

    /// Maximum number of bytes that a processor can output in one packet.
    private static let outputLimit = 17

    /// Returns whether samples from this source can be sent in this layout on any board.
    public func fits(_ source: SampleSource) -> Bool {
      let length = source.encoding.length
      switch self {
      case .single: return true
      case .packed: return source.packedRegister != nil
      // The packer encodes the length of one sample in three bits.
      case .countedPair: return !source.isRead && length <= 8 && 4 + 2 * length <= Self.outputLimit
      case .counted: return !source.isRead && 1 + length <= Self.outputLimit
      case .timed: return !source.isRead && source.encoding.axisCount < 4 && length <= 12
      }
    }

    public var needsProcessor: Bool {
      switch self {
      case .single, .packed: false
      case .countedPair, .counted, .timed: true
      }
    }
  }
}
