/// Reset, disconnect and diagnosis (module fe).
public enum Debug: ModuleCommand {
  /// Resets the board: it forgets everything except its log, macros and address, and the link
  /// drops.
  case reset
  /// Restarts into the bootloader, which has no modules.
  case bootloader
  /// Makes the board act as if a module had notified: the module's code, a register, an index and
  /// the value. The index is 0 if the register has none.
  case spoof([UInt8])
  /// Keeps a number until the next reset.
  case setKey(UInt32)
  /// Resets once flash has been cleaned up; follow it with `reset`, since there may be nothing to
  /// clean.
  case resetAfterCleaning
  /// Makes the board close the link, after which it advertises again.
  case disconnect
  /// Sleeps from the next reset on, until the button is pressed.
  case savePower
  /// Sets whether an overflow of the stack resets the board.
  case assertStack(isOn: Bool)

  /// Forgets everything, log and macros included, and resets.
  ///
  /// Wait about three seconds before connecting again.
  public static var factoryReset: [Command] {
    [
      Logging.run(isOn: false).command, Logging.drop(entries: .max).command,
      Logging.removeAllTriggers.command, Event.removeAll.command, DataProcessor.removeAll.command,
      Macro.eraseAll.command, Debug.resetAfterCleaning.command, Debug.reset.command,
    ]
  }

  /// Removes everything that an earlier connection left running; keeps log and macros.
  public static func tearDown(timers: [UInt8] = []) -> [Command] {
    timers.map { Timer.remove($0).command }
      + [
        DataProcessor.removeAll.command, Event.removeAll.command,
        Logging.removeAllTriggers.command,
      ]
  }

  /// Reads a write to module fe.
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

  /// A write to module fe.
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
