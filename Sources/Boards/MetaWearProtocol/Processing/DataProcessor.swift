/// Filters and counters that run on the board (module 09), at most 28 at a time.
public enum DataProcessor: ModuleCommand {
  /// Creates a processor; the answer is a `Notification.created` with its id, or silence if the
  /// board has no room.
  case create(ProcessorFunction, on: SignalSource)
  /// Changes a processor's function.
  case modify(UInt8, ProcessorFunction)
  /// Sets a processor's state.
  case setState(UInt8, [UInt8])
  /// Reads a processor's state, for the host or silently for consumers on the board.
  case readState(UInt8, isSilent: Bool)
  /// Reads a processor's function.
  case query(UInt8)
  /// Starts sending a processor's output, after `enableNotifications`.
  case subscribe(UInt8)
  /// Stops sending a processor's output.
  case unsubscribe(UInt8)
  /// Removes a processor; processors that use its output must be removed first.
  case remove(UInt8)
  /// Removes every processor on the board, including those of an earlier connection.
  case removeAll

  /// Enables notifications of processors; needed once for all of them.
  public static let enableNotifications = Command.subscribe(.dataProcessor, 0x03)

  /// The count in the answer of a four-byte counter, and the counter's id; `nil` for another
  /// packet.
  public static func count(in packet: Span<UInt8>) -> (counter: UInt8, count: UInt32)? {
    let header = PacketHeader(.dataProcessor, 0x04, isRead: true)
    guard packet.count == 7, packet[0] == header.moduleCode, packet[1] == header.registerByte
    else { return nil }
    return (packet[2], packet.uint32(at: 3))
  }

  /// Reads a packet to module 09.
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

  /// A packet to module 09.
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
