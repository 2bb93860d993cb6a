/// Commands stored in flash (module 0f), which survive resets and loss of power.
///
/// All of these are written with response.
public enum Macro: ModuleCommand {
  /// The longest command stored in one piece: with the header of this module it makes 19 bytes.
  public static let longestPiece = 17

  /// Starts storing; the answer is a `Notification.created` with the macro's id.
  case begin(runsAtBoot: Bool)
  /// One command, or all but the first two bytes of a long one.
  case store([UInt8])
  /// The first two bytes of a long command.
  case storeStart(UInt8, UInt8)
  /// Ends storing.
  case end
  /// Runs a macro.
  case run(UInt8)
  /// Erases all macros.
  case eraseAll

  /// Stores commands, the long ones in two pieces.
  public static func record(_ commands: [Command], runsAtBoot: Bool) -> [Macro] {
    let pieces: [Macro] = commands.flatMap { command -> [Macro] in
      let bytes = command.bytes
      guard bytes.count > longestPiece else { return [.store(bytes)] }
      return [.storeStart(bytes[0], bytes[1]), .store(Array(bytes.dropFirst(2)))]
    }
    return [.begin(runsAtBoot: runsAtBoot)] + pieces + [.end]
  }

  /// Reads a write to module 0f.
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

  /// A write to module 0f.
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
