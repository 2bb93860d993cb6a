/// Commands for the data processors on the board (module 09), such as filters and counters. A board
/// supports at most 28 processors at a time.
public enum DataProcessor: ModuleCommand {
  /// Creates a processor. The response is a `Notification.created` with the processor's id. The
  /// board does not respond if it has no space for the processor.
  case create(ProcessorFunction, on: SignalSource)
  case modify(UInt8, ProcessorFunction)
  case setState(UInt8, [UInt8])
  /// Reads a processor's state. A silent read delivers the state only to consumers on the board,
  /// not to the host.
  case readState(UInt8, isSilent: Bool)
  case query(UInt8)
  /// Makes the board send a processor's output. `enableNotifications` is required as well.
  case subscribe(UInt8)
  case unsubscribe(UInt8)
  /// Removes a processor. Any processors that use its output must be removed first.
  case remove(UInt8)
  /// Removes every processor on the board, including those created over an earlier connection.
  case removeAll

  /// Enables notifications from all processors. Need only be sent once.
  public static let enableNotifications = Command.subscribe(.dataProcessor, 0x03)

  /// Decodes a four-byte counter's state. Returns the count and the counter's id, or `nil` for any
  /// other packet.
  public static func count(in packet: Span<UInt8>) -> (counter: UInt8, count: UInt32)? {
    let header = PacketHeader(.dataProcessor, 0x04, isRead: true)
    guard packet.count == 7, packet[0] == header.moduleCode, packet[1] == header.registerByte
    else { return nil }
    return (packet[2], packet.uint32(at: 3))
  }

  public init?(_ command: Command) {
    guard command.header.module == .dataProcessor else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x02, 5...):
      guard let function = ProcessorFunction(Array(payload[4...])) else { return nil }
      self = .create(function, on: SignalSource(Array(payload.prefix(4))))
    case (0x05, 2...):
      guard let function = ProcessorFunction(Array(payload[1...])) else { return nil }
      self = .modify(payload[0], function)
    case (0x04, 1...): self = .setState(payload[0], Array(payload[1...]))
    case (0x84, 1): self = .readState(payload[0], isSilent: false)
    case (0xc4, 1): self = .readState(payload[0], isSilent: true)
    case (0x82, 1): self = .query(payload[0])
    case (0x07, 2):
      guard let isOn = Bool(wire: payload[1]) else { return nil }
      self = isOn ? .subscribe(payload[0]) : .unsubscribe(payload[0])
    case (0x06, 1): self = .remove(payload[0])
    case (0x08, 0): self = .removeAll
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .create(let function, let source):
      Command(.dataProcessor, 0x02, source.bytes + function.bytes)
    case .modify(let id, let function): Command(.dataProcessor, 0x05, [id] + function.bytes)
    case .setState(let id, let bytes): Command(.dataProcessor, 0x04, [id] + bytes)
    case .readState(let id, let isSilent):
      Command(PacketHeader(.dataProcessor, 0x04, isRead: true, isSilent: isSilent), [id])
    case .query(let id): .read(.dataProcessor, 0x02, [id])
    case .subscribe(let id): Command(.dataProcessor, 0x07, [id, 1])
    case .unsubscribe(let id): Command(.dataProcessor, 0x07, [id, 0])
    case .remove(let id): Command(.dataProcessor, 0x06, [id])
    case .removeAll: Command(.dataProcessor, 0x08)
    }
  }
}
