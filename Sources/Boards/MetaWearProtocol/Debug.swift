/// Commands that reset, disconnect or diagnose the board (module fe).
public enum Debug: ModuleCommand {
  /// Resets the board. The board drops the link and forgets everything except its log, macros and
  /// address.
  case reset
  /// Restarts the board into its bootloader, which has no modules.
  case bootloader
  /// Makes the board behave as if a module had sent a notification. The bytes are the module's
  /// code, a register, an index and the value. The index is 0 for a register without indices.
  case spoof([UInt8])
  /// Stores a number on the board until the next reset.
  case setKey(UInt32)
  /// Resets the board once its flash has been cleaned up. Send `reset` after this command, in case
  /// there is nothing to clean up.
  case resetAfterCleaning
  /// Makes the board close the link, after which it advertises again.
  case disconnect
  /// Puts the board to sleep at the next reset. The board sleeps until its button is pressed.
  case savePower
  /// Sets whether a stack overflow resets the board.
  case assertStack(isOn: Bool)

  /// Commands that erase everything, including the log and the macros, and reset the board.
  ///
  /// After sending the commands, wait about three seconds before connecting again.
  public static var factoryReset: [Command] {
    [
      Logging.run(isOn: false).command, Logging.drop(entries: .max).command,
      Logging.removeAllTriggers.command, Event.removeAll.command, DataProcessor.removeAll.command,
      Macro.eraseAll.command, Debug.resetAfterCleaning.command, Debug.reset.command,
    ]
  }

  /// Returns the commands that remove everything that an earlier connection left running. The log
  /// and the macros are kept.
  public static func tearDown(timers: [UInt8] = []) -> [Command] {
    timers.map { Timer.remove($0).command }
      + [
        DataProcessor.removeAll.command, Event.removeAll.command,
        Logging.removeAllTriggers.command,
      ]
  }

  public init?(_ command: Command) {
    guard command.header.module == .debug else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 0): self = .reset
    case (0x02, 0): self = .bootloader
    case (0x03, 3...): self = .spoof(payload)
    case (0x04, 4): self = .setKey(payload.span.uint32(at: 0))
    case (0x05, 0): self = .resetAfterCleaning
    case (0x06, 0): self = .disconnect
    case (0x07, 0): self = .savePower
    case (0x09, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .assertStack(isOn: isOn)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .reset: Command(.debug, 0x01)
    case .bootloader: Command(.debug, 0x02)
    case .spoof(let bytes): Command(.debug, 0x03, bytes)
    case .setKey(let value): Command(.debug, 0x04, value.littleEndianBytes)
    case .resetAfterCleaning: Command(.debug, 0x05)
    case .disconnect: Command(.debug, 0x06)
    case .savePower: Command(.debug, 0x07)
    case .assertStack(let isOn): Command(.debug, 0x09, [isOn.wire])
    }
  }
}
