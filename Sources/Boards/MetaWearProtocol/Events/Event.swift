/// Commands that the board executes by itself when something happens (module 0a), at most 28.
public enum Event: ModuleCommand {
  /// The source that triggers the event.
  public struct Source: Hashable, Sendable, BitwiseCopyable {
    /// Module and register, with flags where the value is read silently.
    public let header: PacketHeader
    /// Timer, processor or pin; `SignalSource.noIndex` where there is none.
    public let index: UInt8

    public init(_ header: PacketHeader, index: UInt8 = SignalSource.noIndex) {
      self.header = header
      self.index = index
    }

    private init(_ module: ModuleID, _ register: UInt8, _ index: UInt8) {
      self.init(PacketHeader(module, register), index: index)
    }

    var bytes: [UInt8] { [header.moduleCode, header.registerByte, index] }

    /// The link dropped, for whatever reason; settings revision 2.
    public static let disconnect = Source(.settings, 0x0a, SignalSource.noIndex)
    /// The button was pressed or released.
    public static let `switch` = Source(.switch, 0x01, SignalSource.noIndex)
    /// A timer fired.
    public static func timer(_ id: UInt8) -> Source { Source(.timer, 0x06, id) }
    /// A data processor has output.
    public static func processor(_ id: UInt8) -> Source { Source(.dataProcessor, 0x03, id) }
    /// A watched pin changed.
    public static func pin(_ pin: UInt8) -> Source { Source(.gpio, 0x0a, pin) }
  }

  /// Bytes of the source's value that are copied into the parameters of the command.
  public struct Copy: Hashable, Sendable, BitwiseCopyable {
    /// Number of bytes (1 to 7).
    public let length: UInt8
    /// Offset of the first byte in the value.
    public let sourceOffset: UInt8
    /// Offset of the first byte in the parameters.
    public let parameterOffset: UInt8

    public init(length: UInt8, sourceOffset: UInt8 = 0, parameterOffset: UInt8) {
      self.length = length & 7
      self.sourceOffset = sourceOffset & 0x0f
      self.parameterOffset = parameterOffset
    }

    init?(_ bytes: [UInt8]) {
      guard bytes[0] & 1 == 1 else { return nil }
      self.init(length: bytes[0] >> 1, sourceOffset: bytes[0] >> 4, parameterOffset: bytes[1])
    }

    var bytes: [UInt8] { [1 | length << 1 | sourceOffset << 4, parameterOffset] }
  }

  /// The first half of an event: its source, and the header and number of parameters of its
  /// command.
  case begin(Source, PacketHeader, parameterCount: UInt8, Copy?)
  /// The second half: the parameters.
  case parameters([UInt8])
  /// Removes one event.
  case remove(UInt8)
  /// Removes every event on the board.
  case removeAll

  /// Makes the board execute `command` whenever `source` happens. This takes two writes, back to
  /// back, or one if the command has no parameters. They get one answer, a `Notification.created`
  /// with the event's id.
  ///
  /// Events outlive the connection, so a gateway that reconnects removes them first.
  public static func record(
    _ command: some ModuleCommand, when source: Source, copying copy: Copy? = nil
  ) -> [Command] {
    let packet = command.command
    let parameters = packet.payload
    let begin = Event.begin(
      source, packet.header, parameterCount: UInt8(parameters.count), copy)
    return [begin.command] + (parameters.isEmpty ? [] : [Event.parameters(parameters).command])
  }

  /// Reads a write to module 0a.
  public init?(_ command: Command) {
    guard command.header.module == .event else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x02, 6), (0x02, 8):
      let copy = payload.count == 8 ? Copy(Array(payload[6...])) : nil
      guard payload.count == 6 || copy != nil else { return nil }
      self = .begin(
        Source(PacketHeader(module: payload[0], registerByte: payload[1]), index: payload[2]),
        PacketHeader(module: payload[3], registerByte: payload[4]), parameterCount: payload[5],
        copy)
    case (0x03, _): self = .parameters(payload)
    case (0x04, 1): self = .remove(payload[0])
    case (0x05, 0): self = .removeAll
    default: return nil
    }
  }

  /// A write to module 0a.
  public var command: Command {
    switch self {
    case .begin(let source, let target, let parameterCount, let copy):
      Command(
        .event, 0x02,
        source.bytes + [target.moduleCode, target.registerByte, parameterCount]
          + (copy?.bytes ?? []))
    case .parameters(let bytes): Command(.event, 0x03, bytes)
    case .remove(let id): Command(.event, 0x04, [id])
    case .removeAll: Command(.event, 0x05)
    }
  }
}
