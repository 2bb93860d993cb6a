import MetaWearProtocol

/// The objects that a client creates and removes on a simulated board: data processors, events and
/// timers.
extension SimulatedBoard {
  mutating func executeProcessor(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    switch (header.register, header.isRead, bytes.count) {
    case (0x02, false, _): createProcessor(bytes)
    case (0x02, true, 3):
      answer([0x09, 0x82], state.processors[bytes[2]]?.description, emptyLength: 1)
    case (0x03, false, 3): state.processorsNotify = bytes[2] != 0
    case (0x04, true, 3), (0x04, false, 3...), (0x05, false, 4...), (0x06, false, 3),
      (0x07, false, 4):
      guard state.processors[bytes[2]] != nil else {
        complain("there is no such data processor", bytes)
        return true
      }
      useProcessor(header, bytes)
    case (0x08, false, 2): state.processors = [:]
    default: return false
    }
    return true
  }

  /// Executes a command for an existing data processor.
  private mutating func useProcessor(_ header: PacketHeader, _ bytes: [UInt8]) {
    let id = bytes[2]
    switch (header.register, header.isRead) {
    case (0x04, true):
      guard let value = state.processors[id]?.stateBytes, !value.isEmpty else {
        complain("this data processor has no state to read", bytes)
        return
      }
      send([0x09, 0x84, id] + value)
      process(
        BoardValue(bytes: value, sampleCount: 0),
        from: BoardSource(module: 0x09, register: bytes[1], index: id))
    case (0x04, false):
      if state.processors[id]?.setState(Array(bytes.dropFirst(3))) != true {
        complain("this data processor has no such state", bytes)
      }
    case (0x05, _): modifyProcessor(bytes)
    case (0x06, _): removeProcessor(bytes)
    default: state.processors[id]?.isSubscribed = bytes[3] != 0
    }
  }

  private mutating func createProcessor(_ bytes: [UInt8]) {
    guard canCreate(bytes) else { return }
    let payload = Array(bytes.dropFirst(2))
    guard payload.count >= 5 else {
      complain("a data processor needs a source, a range and a type", bytes)
      return
    }
    let source = BoardSource(module: payload[0], register: payload[1], index: payload[2])
    guard let valueLength = valueLength(of: source) else {
      complain("no data processor can be attached to this source", bytes)
      return
    }
    let isPacked = source.module == 0x09 && state.processors[source.index]?.isPacker == true
    let processor: SimulatedProcessor
    do {
      processor = try SimulatedProcessor(
        payload, valueLength: valueLength, isPacked: isPacked,
        revision: model.modules[.dataProcessor]?.revision ?? 0, buffers: bufferLengths)
    } catch {
      complain(error.reason, bytes)
      return
    }
    if source.register & 0x40 != 0 {
      complain("silent reads reach triggers and events, but not data processors", bytes)
    }
    let maximum = SimulatedBoardState.maximumProcessors
    guard let id = state.processors.freeNumber(below: maximum) else {
      complain("all \(maximum) data processors are in use", bytes)
      return
    }
    state.processors[id] = processor
    send([0x09, 0x02, id])
  }

  /// The length in bytes of each buffer's value, by buffer id. Fusers use these lengths.
  private var bufferLengths: [UInt8: Int] {
    let buffers = zip(state.processors.numbers, state.processors.values).filter { $0.1.isBuffer }
    return Dictionary(uniqueKeysWithValues: buffers.map { ($0, $1.outputLength) })
  }

  /// Returns whether another data processor uses the output of processor `id`.
  private func isFeeding(_ id: UInt8) -> Bool {
    state.processors.values.contains {
      $0.source.module == 0x09 && $0.source.index == id || $0.buffers.contains(id)
    }
  }

  private mutating func modifyProcessor(_ bytes: [UInt8]) {
    let id = bytes[2]
    guard let old = state.processors[id] else { return }
    do {
      let new = try old.modified(Array(bytes.dropFirst(3)), buffers: bufferLengths)
      guard new.outputLength == old.outputLength || !isFeeding(id) else {
        complain("another data processor depends on this one's output length", bytes)
        return
      }
      state.processors[id] = new
    } catch {
      complain(error.reason, bytes)
    }
  }

  private mutating func removeProcessor(_ bytes: [UInt8]) {
    if isFeeding(bytes[2]) {
      complain("another data processor depends on this one", bytes)
    } else {
      state.processors[bytes[2]] = nil
    }
  }

  mutating func executeEvent(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    guard !header.isRead else { return false }
    switch (header.register, bytes.count) {
    case (0x02, _): createEvent(bytes)
    case (0x03, _): completeEvent(bytes)
    case (0x04, 3):
      if !state.events.remove(bytes[2]) { complain("there is no such event", bytes) }
    case (0x05, _): state.events = [:]
    default: return false
    }
    return true
  }

  private mutating func createEvent(_ bytes: [UInt8]) {
    guard canCreate(bytes) else { return }
    state.openEvent = nil
    var reasons: [String] = []
    let event = SimulatedEvent(Array(bytes.dropFirst(2))) { reasons.append($0) }
    for reason in reasons { complain(reason, bytes) }
    guard let event else { return }
    guard canHappen(event.source) else {
      complain("this source cannot trigger an event", bytes)
      return
    }
    let maximum = SimulatedBoardState.maximumEvents
    guard let id = state.events.freeNumber(below: maximum) else {
      complain("all \(maximum) events are in use", bytes)
      return
    }
    state.events[id] = event
    state.openEvent = id
    // The event's id is sent immediately, because some clients wait for it before they send the
    // event's parameters.
    send([0x0a, 0x02, id])
  }

  private func canHappen(_ source: BoardSource) -> Bool {
    switch (source.module, source.register) {
    case (0x0c, 0x06): state.timers[source.index] != nil
    case (0x11, 0x0a): model.modules.has(.settings, revision: 2) && source.index == 0xff
    default: valueLength(of: source) != nil
    }
  }

  private mutating func completeEvent(_ bytes: [UInt8]) {
    guard let id = state.openEvent, let event = state.events[id] else {
      complain("parameters without an event", bytes)
      return
    }
    guard bytes.count - 2 == event.parameterCount else {
      complain("the event was created for \(event.parameterCount) bytes of parameters", bytes)
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
    guard canCreate(bytes) else { return }
    let milliseconds = bytes.span.uint32(at: 2)
    guard milliseconds > 0 else {
      complain("a timer needs a period", bytes)
      return
    }
    let maximum = SimulatedBoardState.maximumTimers
    guard let id = state.timers.freeNumber(below: maximum) else {
      complain("all \(maximum) timers are in use", bytes)
      return
    }
    state.timers[id] = SimulatedTimer(
      period: Double(milliseconds) / 1_000, repetitions: bytes.span.uint16(at: 6),
      isImmediate: bytes[8] != 0)
    send([0x0c, 0x02, id])
  }
}
