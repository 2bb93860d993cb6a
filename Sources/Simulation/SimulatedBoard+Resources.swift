import MetaWearProtocol

/// What a client makes on a simulated board and takes away again: processors, events, timers.
extension SimulatedBoard {
  mutating func executeProcessor(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    guard !header.isRead else { return false }
    switch (header.register, bytes.count) {
    case (0x02, _): createProcessor(bytes)
    case (0x03, 3): state.processorsNotify = bytes[2] != 0
    case (0x06, 3): removeProcessor(bytes)
    case (0x07, 4):
      if state.processors[bytes[2]] == nil {
        complain("there is no such data processor", bytes)
      }
      state.processors[bytes[2]]?.isSubscribed = bytes[3] != 0
    case (0x08, _): state.processors = [:]
    default: return false
    }
    return true
  }

  private mutating func createProcessor(_ bytes: [UInt8]) {
    var reasons: [String] = []
    let payload = Array(bytes.dropFirst(2))
    let parent = payload.count > 2 && payload[0] == 0x09 ? state.processors[payload[2]] : nil
    let processor = SimulatedProcessor(
      payload, packedLength: parent?.isPacker == true ? parent?.outputLength : nil
    ) { reasons.append($0) }
    for reason in reasons { complain(reason, bytes) }
    guard let processor else { return }
    guard hasValue(processor.source) else {
      complain("no data processor can be put on this source", bytes)
      return
    }
    let maximum = SimulatedBoardState.maximumProcessors
    guard let id = SimulatedBoardState.freeID(in: state.processors, maximum: maximum) else {
      complain("all \(maximum) data processors are in use", bytes)
      return
    }
    state.processors[id] = processor
    send([0x09, 0x02, id])
  }

  /// Whether a register has values for processors; packed samples leave no room for a result.
  private func hasValue(_ source: BoardSource) -> Bool {
    switch (source.module, source.register) {
    case (0x09, 0x03): state.processors[source.index] != nil
    case (0x04, 0x81): Int(source.index) < model.modules[.temperature]?.extra.count ?? 0
    default:
      source.index == SignalSource.noIndex
        && state.sensors.contains {
          $0.sensor.module.rawValue == source.module && $0.sensor.sampleRegister == source.register
        }
    }
  }

  private mutating func removeProcessor(_ bytes: [UInt8]) {
    let output = BoardSource(module: 0x09, register: 0x03, index: bytes[2])
    if state.processors.values.contains(where: { $0.source == output }) {
      complain("another data processor feeds on this one", bytes)
    } else if state.processors.removeValue(forKey: bytes[2]) == nil {
      complain("there is no such data processor", bytes)
    }
  }

  mutating func executeEvent(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    guard !header.isRead else { return false }
    switch (header.register, bytes.count) {
    case (0x02, _): createEvent(bytes)
    case (0x03, _): completeEvent(bytes)
    case (0x04, 3):
      if state.events.removeValue(forKey: bytes[2]) == nil {
        complain("there is no such event", bytes)
      }
    case (0x05, _): state.events = [:]
    default: return false
    }
    return true
  }

  private mutating func createEvent(_ bytes: [UInt8]) {
    state.openEvent = nil
    var reasons: [String] = []
    let event = SimulatedEvent(Array(bytes.dropFirst(2))) { reasons.append($0) }
    for reason in reasons { complain(reason, bytes) }
    guard let event else { return }
    switch (event.source.module, event.source.register) {
    case (0x11, 0x0a), (0x01, 0x01), (0x0c, 0x06): break
    default:
      complain("events of this source are not simulated", bytes)
      return
    }
    let maximum = SimulatedBoardState.maximumEvents
    guard let id = SimulatedBoardState.freeID(in: state.events, maximum: maximum) else {
      complain("all \(maximum) events are in use", bytes)
      return
    }
    state.events[id] = event
    state.openEvent = id
    // The id goes out at once: some clients wait for it before they send the parameters.
    send([0x0a, 0x02, id])
  }

  private mutating func completeEvent(_ bytes: [UInt8]) {
    guard let id = state.openEvent, let event = state.events[id] else {
      complain("parameters without an event", bytes)
      return
    }
    guard bytes.count - 2 == event.parameterCount else {
      complain("the event was to have \(event.parameterCount) bytes of parameters", bytes)
      return
    }
    state.events[id]?.parameters = Array(bytes.dropFirst(2))
    state.openEvent = nil
  }

  mutating func executeTimer(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    guard !header.isRead else { return false }
    switch (header.register, bytes.count) {
    case (0x02, 9): createTimer(bytes)
    case (0x06, 3): state.timersNotify = bytes[2] != 0
    case (0x03...0x05, 3), (0x07, 4):
      guard state.timers[bytes[2]] != nil else {
        complain("there is no such timer", bytes)
        return true
      }
      let (now, clockFactor) = (now, clockFactor)
      switch header.register {
      case 0x03: state.timers[bytes[2]]?.start(at: now, clockFactor: clockFactor)
      case 0x04: state.timers[bytes[2]]?.stop()
      case 0x05: state.timers[bytes[2]] = nil
      default: state.timers[bytes[2]]?.isSubscribed = bytes[3] != 0
      }
    default: return false
    }
    return true
  }

  private mutating func createTimer(_ bytes: [UInt8]) {
    let milliseconds = bytes.span.uint32(at: 2)
    guard milliseconds > 0 else {
      complain("a timer needs a period", bytes)
      return
    }
    let maximum = SimulatedBoardState.maximumTimers
    guard let id = SimulatedBoardState.freeID(in: state.timers, maximum: maximum) else {
      complain("all \(maximum) timers are in use", bytes)
      return
    }
    state.timers[id] = SimulatedTimer(
      period: Double(milliseconds) / 1_000, repetitions: bytes.span.uint16(at: 6),
      isImmediate: bytes[8] != 0)
    send([0x0c, 0x02, id])
  }
}
