import MetaWearProtocol

/// A simulated board's internal activity: samples, timers, and their consequences.
extension SimulatedBoard {
  /// True time of the next sample, timer, fault or read-out packet.
  var nextTurn: Double? {
    // Uses no arrays, because this property is read at each step of the simulated world.
    var next = min(faults.nextTurn(battery) ?? .infinity, nextReadOut ?? .infinity)
    for index in state.sensors.indices {
      next = min(next, state.sensors[index].clock.next(clockFactor: clockFactor) ?? .infinity)
    }
    next = min(next, state.magnetometer?.clock.next(clockFactor: clockFactor) ?? .infinity)
    next = min(next, state.barometer?.clock.next(clockFactor: clockFactor) ?? .infinity)
    next = min(next, state.light?.clock.next(clockFactor: clockFactor) ?? .infinity)
    for timer in state.timers.values { next = min(next, timer.next ?? .infinity) }
    return next.isFinite ? next : nil
  }

  /// Performs every action that is due at exactly this time.
  mutating func take(_ turn: Double) {
    let factor = clockFactor
    takeFaults()
    // The magnetometer is sampled before the accelerometer, whose samples trigger sensor fusion.
    if state.magnetometer?.clock.next(clockFactor: factor) == turn { takeMagnetometerSample() }
    for index in state.sensors.indices {
      if state.sensors[index].clock.next(clockFactor: factor) == turn {
        takeSample(ofSensorAt: index)
      }
    }
    if state.barometer?.clock.next(clockFactor: factor) == turn { takeBarometerSample() }
    if state.light?.clock.next(clockFactor: factor) == turn { takeLightSample() }
    for id in state.timers.numbers where state.timers[id]?.next == turn { turnTimer(id) }
    // Check `readOut` first, because computing the time of the next read-out copies the board.
    if state.logging.readOut != nil, nextReadOut == turn { continueReadOut() }
  }

  private mutating func turnTimer(_ id: UInt8) {
    let clockFactor = clockFactor
    state.timers[id]?.turn(clockFactor: clockFactor)
    if state.timersNotify, state.timers[id]?.isSubscribed == true { send([0x0c, 0x06, id]) }
    fire(BoardSource(module: 0x0c, register: 0x06, index: id))
  }

  /// Passes a value to its consumers on the board: triggers, events, and processors along with
  /// their successors.
  mutating func process(_ value: BoardValue, from source: BoardSource) {
    guard faults.isWorking(at: now), !faults.isHalted(source.module) else { return }
    record(value, from: source)
    defer { fire(source, value.bytes) }
    guard !state.processors.isEmpty else { return }
    let clock = SimulatedProcessor.Clock(tick: tick, seconds: now * clockFactor)
    // A processor can only use earlier processors as sources, so this recursion terminates.
    var last: UInt8?
    while let place = state.processors.place(after: last) {
      let id = state.processors.numbers[place]
      last = id
      guard state.processors[at: place].source == source else { continue }
      var buffers: [BoardValue?] = []
      for buffer in state.processors[at: place].buffers {
        buffers.append(state.processors[buffer]?.kept)
      }
      guard let output = state.processors[at: place].process(value, clock, buffers: buffers)
      else { continue }
      if state.processorsNotify, state.processors[at: place].isSubscribed {
        send([0x09, 0x03, id] + output.bytes, sampleCount: output.sampleCount)
      }
      process(output, from: BoardSource(module: 0x09, register: 0x03, index: id))
    }
  }

  /// Executes the commands stored for an event. Where requested, bytes of the event's value are
  /// inserted.
  mutating func fire(_ source: BoardSource, _ value: [UInt8] = []) {
    guard !state.events.isEmpty, faults.isWorking(at: now) else { return }
    guard state.eventDepth < Self.maximumEventDepth else {
      complain("events trigger each other endlessly", [source.module, source.register])
      return
    }
    state.eventDepth += 1
    defer { state.eventDepth = max(0, state.eventDepth - 1) }
    for id in state.events.numbers {
      guard let event = state.events[id], event.source == source else { continue }
      guard let command = event.command(for: value) else {
        complain("event \(id) happened, but its parameters were never sent", event.target)
        continue
      }
      execute(command)
    }
  }

  /// Maximum nesting depth of events. An event may trigger another: for example, a timer's event
  /// may read a value, and a comparator on that value may trigger the next event.
  private static let maximumEventDepth = 8
}
