public import Recording

/// How the samples of a stream are put into notifications.
public enum StreamLayout: Hashable, Sendable, BitwiseCopyable {
  /// One sample a packet, straight from the sensor.
  case single
  /// Three samples a packet, oldest first.
  case packed
  /// A packet count and two samples, from a packer followed by a counter with this id.
  ///
  /// The one layout that shows which samples were lost: 19 bytes leave no room for a third.
  case countedPair(processor: UInt8)

  /// Samples in a packet; also what a packet that cannot be read is taken to have held.
  public var samplesPerPacket: Int {
    switch self {
    case .single: 1
    case .packed: 3
    case .countedPair: 2
    }
  }

  /// Whether lost samples are counted or inferred.
  public var lossAccounting: StreamDescription.LossAccounting {
    switch self {
    case .countedPair: .counted
    case .single, .packed: .estimated
    }
  }
}
