import MetaWearProtocol

/// What happens by itself on a simulated board: samples, timers, and what depends on them.
extension SimulatedBoard {
  /// True time of the next sample, timer or fault.
  var nextTurn: Double? {
    let samples = state.sensors.compactMap { $0.nextSample(clockFactor: clockFactor) }
    let timers = state.timers.values.compactMap(\.next)
    return (samples + timers + [faults.nextTurn(battery)].compactMap(\.self)).min()
  }

  /// Has everything happen that is due at exactly this time.
  mutating func take(_ turn: Double) {
    takeFaults()
    for index in state.sensors.indices
    where state.sensors[index].nextSample(clockFactor: clockFactor) == turn {
      takeSample(ofSensorAt: index)
    }
    for id in state.timers.keys.sorted() where state.timers[id]?.next == turn {
      turnTimer(id)
    }
  }

  private mutating func takeSample(ofSensorAt index: Int) {
    let sample = state.sensors[index].takeSample(of: wearer, at: now)
    let sensor = state.sensors[index]
    guard sensor.isDataReady else { return }
    let module = sensor.sensor.module.rawValue
    if sensor.isSubscribed {
      send([module, sensor.sensor.sampleRegister] + sample, sampleCount: 1)
    }
    if sensor.isPackedSubscribed, let register = sensor.sensor.packedRegister,
      let packed = state.sensors[index].pack(sample)
    {
      send([module, register] + packed, sampleCount: 3)
    }
    process(
      BoardValue(bytes: sample, sampleCount: 1),
      from: BoardSource(module: module, register: sensor.sensor.sampleRegister, index: 0xff))
  }

  private mutating func turnTimer(_ id: UInt8) {
    let clockFactor = clockFactor
    state.timers[id]?.turn(clockFactor: clockFactor)
    if state.timersNotify, state.timers[id]?.isSubscribed == true { send([0x0c, 0x06, id]) }
    fire(BoardSource(module: 0x0c, register: 0x06, index: id))
  }

  /// Gives a value to the processors that want it, and their output to those behind them.
  mutating func process(_ value: BoardValue, from source: BoardSource) {
    guard faults.isWorking(at: now), !faults.isHalted(source.module) else { return }
    let tick = tick
    // A processor can only feed on one made before it, so this comes to an end.
    for id in state.processors.keys.sorted() where state.processors[id]?.source == source {
      guard let output = state.processors[id]?.process(value, tick: tick) else { continue }
      if state.processorsNotify, state.processors[id]?.isSubscribed == true {
        send([0x09, 0x03, id] + output.bytes, sampleCount: output.sampleCount)
      }
      process(output, from: BoardSource(module: 0x09, register: 0x03, index: id))
    }
  }

  /// Carries out the commands stored for something that happened.
  mutating func fire(_ source: BoardSource) {
    guard faults.isWorking(at: now) else { return }
    for id in state.events.keys.sorted() {
      guard let event = state.events[id], event.source == source else { continue }
      guard let command = event.command else {
        complain("event \(id) happened, but its parameters were never sent", event.target)
        continue
      }
      execute(command)
    }
  }
}
