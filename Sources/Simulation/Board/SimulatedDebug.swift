import MetaWearProtocol

/// Why a simulated board booted last; the raw value is the bit of the processor's register.
enum ResetReason: UInt8, Sendable {
  case power = 0x00
  case command = 0x04
  case crash = 0x08
}

/// What a simulated board keeps for diagnosis until its next reset.
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
    // Flash never is in need of cleaning here.
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
      // Bytes of the stack that were never used.
      return [state.debug.isAssertingStack ? 1 : 0] + UInt16(3_220).littleEndianBytes
    case .scheduleQueue:
      // Of each queue of the firmware: how full it is, and how full it ever was.
      return [0, 3, 0, 1, 0, 2]
    case .resetReason: return [resetReason.rawValue]
    case .flashStatistics:
      // Blocks gone bad, pages written again, errors corrected: a new chip.
      return [0, 0, 0, 0, 0, 0]
    default: return nil
    }
  }

  /// Treats bytes as if one of the modules had told them.
  private mutating func spoof(_ bytes: [UInt8]) {
    send(bytes)
    // The values of these modules stand after an index.
    let indexed: Set<ModuleID> = [.temperature, .gpio, .dataProcessor, .timer, .serialBus]
    let hasIndex = ModuleID(rawValue: bytes[0]).map(indexed.contains) == true && bytes.count > 2
    let source = BoardSource(
      module: bytes[0], register: bytes[1], index: hasIndex ? bytes[2] : SignalSource.noIndex)
    let value = Array(bytes.dropFirst(hasIndex ? 3 : 2))
    process(BoardValue(bytes: value, sampleCount: 0), from: source)
  }

  /// Wakes a board that sleeps until its button is pressed.
  mutating func wake() {
    if mode == .asleep { reset(.power) }
  }
}
