internal import Recording

/// Commands for recording to the board's flash and for reading the board's clock (module 0b).
public enum Logging: ModuleCommand {
  /// Seconds per tick of the board's clock. A tick is 48 periods of the board's 32,768 Hz crystal.
  public static var tickSeconds: Double { StreamDescription.secondsPerBoardTick }

  /// Returns the number of milliseconds from one tick to another. The result is negative if `end`
  /// is earlier. The clock wraps after 72.8 days.
  public static func milliseconds(from start: UInt32, to end: UInt32) -> Double {
    Double(Int32(bitPattern: end &- start)) * tickSeconds * 1000
  }

  /// Starts or stops recording to flash.
  case run(isOn: Bool)
  /// Creates a trigger, which records a value of at most four bytes. The response is a
  /// `Notification.created` with the trigger's id. Longer values need several triggers; see
  /// `SignalSource.pieces`.
  case addTrigger(SignalSource)
  /// Requests the signal that a trigger records. The board may not respond if the trigger does not
  /// exist.
  case queryTrigger(UInt8)
  case removeTrigger(UInt8)
  /// Removes all triggers. The board ignores this command while it is recording.
  case removeAllTriggers
  /// Makes the board send this many log entries. After every `progressInterval` entries, or after
  /// each page if the interval is 0, the board reports how many are left.
  case readOut(entries: UInt32, progressInterval: UInt32)
  /// Deletes this many of the oldest entries, or all entries with `UInt32.max`. The board ignores
  /// this command while it is recording.
  case drop(entries: UInt32)
  /// Sets whether a full log overwrites its oldest entries or stops recording.
  case overwrite(isOn: Bool)
  /// Confirms that a page's data has been stored safely. The board then erases the page.
  case confirmPage
  /// Writes the log's cache to flash. Requires module revision 3. Without this command, the last
  /// entries are lost when recording stops.
  case flush

  /// Requests a reading of the board's clock. The response also reveals whether the board has been
  /// reset.
  public static let readTime = Command.read(.logging, 0x04)

  /// Requests the number of entries in the log.
  public static let readLength = Command.read(.logging, 0x05)

  /// Requests the number of recycled flash pages. The vendor does not document the length of the
  /// response, so the response is decoded as `Notification.other`.
  public static let readRecycledPages = Command.read(.logging, 0x0c)

  public static let stop = Logging.run(isOn: false).command

  public static func start(isOverwriting: Bool) -> [Command] {
    [Logging.overwrite(isOn: isOverwriting).command, Logging.run(isOn: true).command]
  }

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

/// A reading of the board's clock.
public struct TimeReference: Hashable, Sendable, BitwiseCopyable {
  /// Ticks since the board's last reset, modulo 2³² (72.8 days).
  public let tick: UInt32
  /// Number of times the board has been reset, modulo 8. If the number changes, the board has lost
  /// its setup.
  public let resetUID: UInt8

  public init(tick: UInt32, resetUID: UInt8) {
    self.tick = tick
    self.resetUID = resetUID
  }

  /// Returns the number of milliseconds between a log entry and this reading. Returns `nil` if the
  /// board was reset in between, because a reset restarts the clock.
  public func millisecondsSince(tick: UInt32, resetUID: UInt8) -> Double? {
    guard resetUID == self.resetUID else { return nil }
    return Logging.milliseconds(from: tick, to: self.tick)
  }

  /// Decodes `0b 84 tick:u32 uid`.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(7)
    tick = packet.uint32(at: 2)
    // The upper five bits are not specified.
    resetUID = packet[6] & 0x07
  }
}
