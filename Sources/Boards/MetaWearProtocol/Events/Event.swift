/// Commands that define events (module 0a). An event has a source and a command. The board executes
/// the command whenever the source triggers the event. A board supports at most 28 events.
public enum Event: ModuleCommand {
  /// The source that triggers the event.
  public struct Source: Hashable, Sendable, BitwiseCopyable {
    /// Module and register of the source. The register includes the read flags if the value is read
    /// silently.
    public let header: PacketHeader
    /// Number of the timer, processor or pin. `SignalSource.noIndex` for a source without a number.
    public let index: UInt8

    public init(_ header: PacketHeader, index: UInt8 = SignalSource.noIndex) {
      self.header = header
      self.index = index
    }

    private init(_ module: ModuleID, _ register: UInt8, _ index: UInt8) {
      self.init(PacketHeader(module, register), index: index)
    }

    var bytes: [UInt8] { [header.moduleCode, header.registerByte, index] }

    /// The link dropped, for whatever reason. Requires settings revision 2.
    public static let disconnect = Source(.settings, 0x0a, SignalSource.noIndex)
    /// The button was pressed or released.
    public static let `switch` = Source(.switch, 0x01, SignalSource.noIndex)
    /// A timer fired.
    public static func timer(_ id: UInt8) -> Source { Source(.timer, 0x06, id) }
    /// A data processor produced output.
    public static func processor(_ id: UInt8) -> Source { Source(.dataProcessor, 0x03, id) }
    /// A watched pin changed.
    public static func pin(_ pin: UInt8) -> Source { Source(.gpio, 0x0a, pin) }
  }

  /// Specifies bytes of the source's value that the board copies into the command's parameters.
  public struct Copy: Hashable, Sendable, BitwiseCopyable {
    /// Number of bytes to copy (1 to 7).
    public let length: UInt8
    /// Offset of the first copied byte in the source's value.
    public let sourceOffset: UInt8
    /// Offset of the first copied byte in the command's parameters.
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

  /// The first half of an event: the source, the command's header and number of parameter bytes,
  /// and optionally the bytes to copy.
  case begin(Source, PacketHeader, parameterCount: UInt8, Copy?)
  /// The second half of an event: the command's parameters.
  case parameters([UInt8])
  case remove(UInt8)
  case removeAll

  /// Returns the writes that make the board execute `command` whenever `source` triggers the event.
  /// An event takes two consecutive writes, or one if the command has no parameters. The board
  /// responds once, with a `Notification.created` that contains the event's id.
  ///
  /// Events persist after a disconnect, so a gateway that reconnects removes them first.
  public static func record(
    _ command: some ModuleCommand, when source: Source, copying copy: Copy? = nil
  ) -> [Command] {
    let packet = command.command
    let parameters = packet.payload
    let begin = Event.begin(
      source, packet.header, parameterCount: UInt8(parameters.count), copy)
    return [begin.command] + (parameters.isEmpty ? [] : [Event.parameters(parameters).command])
  }

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
