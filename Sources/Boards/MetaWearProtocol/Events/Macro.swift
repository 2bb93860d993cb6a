/// Commands that store other commands in flash as macros (module 0f). Macros survive resets and
/// power loss.
///
/// All of these commands must be written with response.
public enum Macro: ModuleCommand {
  /// Maximum length in bytes of a command that is stored in one piece. With this module's header,
  /// the packet is 19 bytes long.
  public static let longestPiece = 17

  /// Starts recording a macro. The response is a `Notification.created` with the macro's id.
  case begin(runsAtBoot: Bool)
  /// Stores a short command, or all of a long command except its first two bytes.
  case store([UInt8])
  /// Stores the first two bytes of a long command. The next write stores the rest.
  case storeStart(UInt8, UInt8)
  case end
  case run(UInt8)
  case eraseAll

  /// Returns the writes that store these commands as a macro. Long commands are stored in two
  /// pieces.
  public static func record(_ commands: [Command], runsAtBoot: Bool) -> [Macro] {
    let pieces: [Macro] = commands.flatMap { command -> [Macro] in
      let bytes = command.bytes
      guard bytes.count > longestPiece else { return [.store(bytes)] }
      return [.storeStart(bytes[0], bytes[1]), .store(Array(bytes.dropFirst(2)))]
    }
    return [.begin(runsAtBoot: runsAtBoot)] + pieces + [.end]
  }

  public init?(_ command: Command) {
    guard command.header.module == .macro else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x02, 1):
      guard let runsAtBoot = Bool(wire: payload[0]) else { return nil }
      self = .begin(runsAtBoot: runsAtBoot)
    case (0x03, 1...): self = .store(payload)
    case (0x04, 0): self = .end
    case (0x05, 1): self = .run(payload[0])
    case (0x08, 0): self = .eraseAll
    case (0x09, 2): self = .storeStart(payload[0], payload[1])
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .begin(let runsAtBoot): Command(.macro, 0x02, [runsAtBoot.wire])
    case .store(let bytes): Command(.macro, 0x03, bytes)
    case .storeStart(let first, let second): Command(.macro, 0x09, [first, second])
    case .end: Command(.macro, 0x04)
    case .run(let id): Command(.macro, 0x05, [id])
    case .eraseAll: Command(.macro, 0x08)
    }
  }
}
