public import MetaWearProtocol
public import Recording

/// Describes a stream that is set up on the board, with all data needed to decode it.
public struct BoardStream: Hashable, Sendable {
  /// The measured signal and its configuration.
  public var setup: SensorSetup
  public var layout: StreamLayout

  /// Id of a processor that counts the stream's samples on the board but does not change the
  /// stream. `nil` if there is no such processor.
  public var counter: UInt8?

  public init(_ setup: SensorSetup, layout: StreamLayout, counter: UInt8? = nil) {
    self.setup = setup
    self.layout = layout
    self.counter = counter
  }

  /// A short description: the signal, its range and rate, and its packet layout.
  public var words: String {
    let range = setup.description.rangeText.map { " (\($0))" } ?? ""
    let rate = (setup.rate * 1_000).rounded() / 1_000
    return "\(setup.signal)\(range) at \(rate) Hz as \(layout.kind.rawValue)"
  }

  /// Describes the stream for the recorder and all later stages.
  public var description: StreamDescription {
    var description = setup.description
    description.lossAccounting = counter == nil ? layout.lossAccounting : .counted
    description.isTallied = layout.lossAccounting == .estimated && counter != nil
    description.hasBoardTicks = layout.kind == .timed
    if case .counted(_, let stampLength) = layout { description.counterBits = 8 * stampLength }
    return description
  }

  /// Seconds between successive packets of the stream.
  var packetPeriod: Double {
    Double(layout.samplesPerPacket) / setup.rate
  }

  /// The command that makes the board send its sample count, or `nil` if the board does not count
  /// this stream's samples.
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
