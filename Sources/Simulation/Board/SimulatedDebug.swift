import MetaWearProtocol

/// The reason for a simulated board's last reset. The raw value is the bit in the processor's
/// register.
enum ResetReason: UInt8, Sendable {
  case power = 0x00
  case command = 0x04
  case crash = 0x08
}

/// Diagnostic state of a simulated board, which is kept until the board's next reset.
struct SimulatedDebug: Sendable {
  var key: UInt32 = 0
  var savesPowerAtReset = false
  var isAssertingStack = false
}

extension SimulatedBoard {
  mutating func obey(_ command: Debug) {
    switch command {
    case .reset: reset(.command)
    case .bootloader: reset(.command, into: .bootloader)
    case .spoof(let bytes): spoof(bytes)
    case .setKey(let key): state.debug.key = key
    // The flash never needs garbage collection here.
    case .resetAfterCleaning: break
    case .disconnect: loseLink()
    case .savePower: state.debug.savesPowerAtReset = true
    case .assertStack(let isOn): state.debug.isAssertingStack = isOn
    }
  }

  func debugValue(_ signal: Signal) -> [UInt8]? {
    switch signal {
    case .debugKey: return state.debug.key.littleEndianBytes
    case .stackOverflow:
      // The last two bytes are the number of stack bytes that were never used.
      return [state.debug.isAssertingStack ? 1 : 0] + UInt16(3_220).littleEndianBytes
    case .scheduleQueue:
      // The current and the maximum length of each of the firmware's queues.
      return [0, 3, 0, 1, 0, 2]
    case .resetReason: return [resetReason.rawValue]
    case .flashStatistics:
      // The numbers of bad blocks, rewritten pages and corrected errors: all zero, as on a new
      // chip.
      return [0, 0, 0, 0, 0, 0]
    default: return nil
    }
  }

  /// Sends a value as if a module had sent it from one of its registers.
  private mutating func spoof(_ bytes: [UInt8]) {
    // In packets from these modules, the index precedes the value.
    let indexed: Set<ModuleID> = [.temperature, .gpio, .dataProcessor, .timer, .serialBus]
    let hasIndex = ModuleID(rawValue: bytes[0]).map(indexed.contains) == true
    let value = Array(bytes[3...])
    send(Array(bytes[..<(hasIndex ? 3 : 2)]) + value)
    let source = BoardSource(
      module: bytes[0], register: bytes[1], index: hasIndex ? bytes[2] : SignalSource.noIndex)
    process(BoardValue(bytes: value, sampleCount: 0), from: source)
  }

  /// Wakes a board that sleeps until its button is pressed.
  mutating func wake() {
    if mode == .asleep { reset(.power) }
  }
}
