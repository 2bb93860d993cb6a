public import MetaWearProtocol
public import Recording

/// A stream as it was set up on the board, with what is needed to decode it.
public struct BoardStream: Hashable, Sendable {
  /// What it measures, and how it was brought to.
  public var setup: SensorSetup
  /// How its samples are put into packets.
  public var layout: StreamLayout

  /// A stream set up like this.
  public init(_ setup: SensorSetup, layout: StreamLayout) {
    self.setup = setup
    self.layout = layout
  }

  /// The signal, its range and rate, and the layout of its packets, in a few words.
  public var words: String {
    let range = setup.description.rangeText.map { " (\($0))" } ?? ""
    let rate = (setup.rate * 1_000).rounded() / 1_000
    return "\(setup.signal)\(range) at \(rate) Hz as \(layout.kind.rawValue)"
  }

  /// What the stream carries, for the recorder and everything behind it.
  public var description: StreamDescription {
    var description = setup.description
    description.lossAccounting = layout.lossAccounting
    description.hasBoardTicks = layout.kind == .timed
    if case .counted(_, let stampLength) = layout { description.counterBits = 8 * stampLength }
    return description
  }

  /// Seconds from one of its packets to the next.
  var packetPeriod: Double {
    Double(layout.samplesPerPacket) / setup.rate
  }

  /// What asks the board to send it.
  var subscription: [Command] {
    switch layout {
    case .countedPair(let processor), .counted(let processor, _), .timed(let processor):
      [DataProcessor.enableNotifications, DataProcessor.subscribe(processor).command]
    case .packed:
      setup.samples.packedRegister.map { [.subscribe(setup.samples.module, $0)] } ?? []
    case .single:
      setup.samples.isRead ? [] : [.subscribe(setup.samples.module, setup.samples.register)]
    }
  }
}
