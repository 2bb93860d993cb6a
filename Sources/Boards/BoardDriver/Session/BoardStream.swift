public import MetaWearProtocol
public import Recording

/// A stream as set up on the board, with the data needed to decode it.
public struct BoardStream: Hashable, Sendable {
  /// The measured signal and its configuration.
  public var setup: SensorSetup
  /// The layout of its samples in packets.
  public var layout: StreamLayout

  /// The processor that counts its samples on the board, beside the stream.
  public var counter: UInt8?

  public init(_ setup: SensorSetup, layout: StreamLayout, counter: UInt8? = nil) {
    self.setup = setup
    self.layout = layout
    self.counter = counter
  }

  /// The signal, its range and rate, and the layout of its packets, in a few words.
  public var words: String {
    let range = setup.description.rangeText.map { " (\($0))" } ?? ""
    let rate = (setup.rate * 1_000).rounded() / 1_000
    return "\(setup.signal)\(range) at \(rate) Hz as \(layout.kind.rawValue)"
  }

  /// Description of the stream for the recorder and all later stages.
  public var description: StreamDescription {
    var description = setup.description
    description.lossAccounting = counter == nil ? layout.lossAccounting : .counted
    description.isTallied = layout.lossAccounting == .estimated && counter != nil
    description.hasBoardTicks = layout.kind == .timed
    if case .counted(_, let stampLength) = layout { description.counterBits = 8 * stampLength }
    return description
  }

  /// Seconds between two of its packets.
  var packetPeriod: Double {
    Double(layout.samplesPerPacket) / setup.rate
  }

  /// The command that makes the board send its count.
  var tally: Command? { counter.map { DataProcessor.readState($0, isSilent: false).command } }

  /// Commands that make the board send the stream.
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
