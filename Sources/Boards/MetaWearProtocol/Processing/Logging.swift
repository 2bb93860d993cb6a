internal import Recording

/// The board's own recording and its clock (module 0b).
public enum Logging: ModuleCommand {
  /// Seconds per tick of the board's clock: 48 periods of its 32,768 Hz crystal.
  public static var tickSeconds: Double { StreamDescription.secondsPerBoardTick }

  /// Milliseconds from one tick to another, which may be earlier; the clock wraps after 72.8 days.
  public static func milliseconds(from start: UInt32, to end: UInt32) -> Double {
    Double(Int32(bitPattern: end &- start)) * tickSeconds * 1000
  }

  /// Starts or stops recording to flash.
  case run(isOn: Bool)
  /// Records a value of at most four bytes; the answer is a `Notification.created` with the
  /// trigger's id. Longer values take several triggers: see `SignalSource.pieces`.
  case addTrigger(SignalSource)
  /// Asks for a trigger's signal; an empty trigger may not answer.
  case queryTrigger(UInt8)
  /// Removes one trigger.
  case removeTrigger(UInt8)
  /// Removes all triggers; ignored while recording.
  case removeAllTriggers
  /// Sends this many entries, and reports the number left every `progressInterval` entries; 0 means
  /// once a page.
  case readOut(entries: UInt32, progressInterval: UInt32)
  /// Drops the oldest entries; all of them with `UInt32.max`. Ignored while recording.
  case drop(entries: UInt32)
  /// Sets whether a full log overwrites its oldest entries or stops.
  case overwrite(isOn: Bool)
  /// Confirms that a page's data is stored safely; the board then erases it.
  case confirmPage
  /// Writes the cache to flash; revision 3. Needed after stopping, or the last entries are missing.
  case flush

  /// Asks for the board's clock; the answer also shows whether it was reset since.
  public static let readTime = Command.read(.logging, 0x04)

  /// Asks for the number of entries.
  public static let readLength = Command.read(.logging, 0x05)

  /// Asks for the number of recycled flash pages. The vendor does not document the length of the
  /// answer, so it stays a `Notification.other`.
  public static let readRecycledPages = Command.read(.logging, 0x0c)

  /// Stops recording to flash.
  public static let stop = Logging.run(isOn: false).command

  /// Starts recording to flash.
  public static func start(isOverwriting: Bool) -> [Command] {
    [Logging.overwrite(isOn: isOverwriting).command, Logging.run(isOn: true).command]
  }

  /// Reads a packet to module 0b.
  public init?(_ command: Command) {
    guard command.header.module == .logging else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .run(isOn: isOn)
    case (0x02, 4): self = .addTrigger(SignalSource(payload))
    case (0x82, 1): self = .queryTrigger(payload[0])
    case (0x03, 1): self = .removeTrigger(payload[0])
    case (0x0a, 0): self = .removeAllTriggers
    case (0x06, 8):
      self = .readOut(
        entries: payload.span.uint32(at: 0), progressInterval: payload.span.uint32(at: 4))
    case (0x09, 4): self = .drop(entries: payload.span.uint32(at: 0))
    case (0x0b, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .overwrite(isOn: isOn)
    case (0x0e, 0): self = .confirmPage
    case (0x10, 1):
      guard payload[0] == 1 else { return nil }
      self = .flush
    default: return nil
    }
  }

  /// A packet to module 0b.
  public var command: Command {
    switch self {
    case .run(let isOn): Command(.logging, 0x01, [isOn.wire])
    case .addTrigger(let source): Command(.logging, 0x02, source.bytes)
    case .queryTrigger(let id): .read(.logging, 0x02, [id])
    case .removeTrigger(let id): Command(.logging, 0x03, [id])
    case .removeAllTriggers: Command(.logging, 0x0a)
    case .readOut(let entries, let interval):
      Command(.logging, 0x06, entries.littleEndianBytes + interval.littleEndianBytes)
    case .drop(let entries): Command(.logging, 0x09, entries.littleEndianBytes)
    case .overwrite(let isOn): Command(.logging, 0x0b, [isOn.wire])
    case .confirmPage: Command(.logging, 0x0e)
    case .flush: Command(.logging, 0x10, [1])
    }
  }
}

/// One reading of the board's clock.
public struct TimeReference: Hashable, Sendable, BitwiseCopyable {
  /// Ticks since the board's reset, modulo 2³² (72.8 days).
  public let tick: UInt32
  /// Number of resets modulo 8: a changed number means that the board forgot its setup.
  public let resetUID: UInt8

  public init(tick: UInt32, resetUID: UInt8) {
    self.tick = tick
    self.resetUID = resetUID
  }

  /// Milliseconds between an entry and this reading; `nil` if the board was reset in between,
  /// because times are comparable only without a reset between them.
  public func millisecondsSince(tick: UInt32, resetUID: UInt8) -> Double? {
    guard resetUID == self.resetUID else { return nil }
    return Logging.milliseconds(from: tick, to: self.tick)
  }

  /// Reads `0b 84 tick:u32 uid`.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(7)
    tick = packet.uint32(at: 2)
    // The upper five bits are not specified.
    resetUID = packet[6] & 0x07
  }
}
