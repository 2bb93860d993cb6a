import MetaWearProtocol

/// One board's scheduled and active faults.
struct SimulatedBoardFaults: Sendable {
  /// The progress of a battery's gradual discharge.
  private struct Decline: Sendable {
    let start: Double
    let seconds: Double
    let battery: Battery
  }

  /// The effect of the faults on a notification.
  struct Passage: Sendable {
    /// The notifications that arrive instead of the original one.
    var arriving: [SimulatedNotification] = []
    /// Whether the samples in the notification are lost in transit.
    var isLost = false
  }

  private var schedule: [ScheduledFault] = []
  private var dropCount = 0
  private var dropEnd = -Double.infinity
  private var duplicateCount = 0
  private var garbageCount = 0
  private var answersFrom = -Double.infinity
  private var worksFrom = -Double.infinity
  private var haltedModules: Set<UInt8> = []
  private var decline: Decline?
  /// The time at which delayed notifications are released.
  private var heldUntil: Double?
  private var held: [SimulatedNotification] = []
  private var noise: SensorNoise

  init(seed: UInt64) {
    noise = SensorNoise(seed: seed)
  }

  /// Schedules a fault. Faults with the same time occur in the order in which they were added.
  mutating func add(_ fault: BoardFault, at time: Double) {
    let place = schedule.firstIndex { $0.time > time } ?? schedule.endIndex
    schedule.insert(ScheduledFault(fault, at: time), at: place)
  }

  mutating func takeDue(_ time: Double) -> BoardFault? {
    guard let first = schedule.first, first.time <= time else { return nil }
    return schedule.removeFirst().fault
  }

  /// Returns the time at which a fault next starts or takes effect, whether or not the board is
  /// connected.
  func nextTurn(_ battery: Battery) -> Double? {
    if schedule.isEmpty, heldUntil == nil, decline == nil { return nil }
    return [schedule.first?.time, heldUntil, nextDecline(battery)].compactMap(\.self).min()
  }

  /// Activates a fault that only affects later events.
  mutating func begin(_ fault: BoardFault, at time: Double, _ battery: Battery) {
    switch fault {
    case .drop(let count): dropCount += count
    case .dropAll(let seconds): dropEnd = max(dropEnd, time + seconds)
    case .delay(let seconds): heldUntil = max(heldUntil ?? time, time + seconds)
    case .duplicate(let count): duplicateCount += count
    case .garbage(let count): garbageCount += count
    case .stopAnswering(let seconds): answersFrom = max(answersFrom, time + seconds)
    case .hang(let seconds): worksFrom = max(worksFrom, time + seconds)
    case .haltSensor(let module): haltedModules.insert(module.rawValue)
    case .lowBattery(let seconds):
      decline = Decline(start: time, seconds: seconds, battery: battery)
    case .disconnect, .reboot: break
    }
  }

  /// Returns whether commands are executed at a given time.
  func isAnswering(at time: Double) -> Bool {
    time >= answersFrom && isWorking(at: time)
  }

  /// Returns whether the firmware is running normally, rather than hung, at a given time.
  func isWorking(at time: Double) -> Bool {
    time >= worksFrom
  }

  func isHalted(_ module: UInt8) -> Bool {
    haltedModules.contains(module)
  }

  /// Lets a halted sensor resume measuring when it is switched on.
  mutating func revive(_ command: Command) {
    // Register 4 starts the barometer, and register 1 starts every other sensor.
    let register: UInt8 = command.header.module == .barometer ? 0x04 : 0x01
    guard command.header == PacketHeader(module: command.bytes[0], registerByte: register),
      command.payload.first.map({ $0 != 0 }) == true
    else { return }
    haltedModules.remove(command.bytes[0])
  }

  /// Ends the faults of the firmware, sensors and battery, because the board restarts.
  mutating func reset() {
    answersFrom = -.infinity
    worksFrom = -.infinity
    haltedModules = []
    decline = nil
  }

  // MARK: Applying faults to notifications

  mutating func pass(_ notification: SimulatedNotification) -> Passage {
    var passage = Passage()
    if dropCount > 0 {
      dropCount -= 1
      passage.isLost = true
    } else if notification.time < dropEnd {
      passage.isLost = true
    } else if garbageCount > 0 {
      garbageCount -= 1
      passage = spoil(notification)
    } else {
      passage.arriving = [notification]
    }
    if duplicateCount > 0, let last = passage.arriving.last {
      duplicateCount -= 1
      passage.arriving.append(last.with(last.bytes, sampleCount: 0))
    }
    if heldUntil != nil {
      held += passage.arriving
      passage.arriving = []
    }
    return passage
  }

  private mutating func spoil(_ notification: SimulatedNotification) -> Passage {
    let bytes = notification.bytes
    func instead(_ bytes: [UInt8]) -> Passage {
      Passage(arriving: [notification.with(bytes, sampleCount: 0)], isLost: true)
    }
    func before(_ bytes: [UInt8]) -> Passage {
      Passage(arriving: [notification.with(bytes, sampleCount: 0), notification])
    }
    switch noise.whole(below: 5) {
    case 0:
      return instead(Array(bytes.prefix(1 + noise.whole(below: max(1, bytes.count - 1)))))
    case 1:
      // Clients ignore surplus bytes after a packet, so its samples still arrive.
      let surplus = noise.bytes(1 + noise.whole(below: 8))
      return Passage(
        arriving: [
          SimulatedNotification(
            time: notification.time, bytes: bytes + surplus,
            sampleCount: notification.sampleCount, surplus: surplus.count)
        ])
    case 2:
      // The noise never starts with the packet's own module. Otherwise, the packet's samples would
      // appear to have arrived.
      let rest = noise.bytes(noise.whole(below: Command.maximumLength))
      return instead([bytes[0] ^ UInt8(1 + noise.whole(below: 255))] + rest)
    case 3:
      let module = 0x20 + UInt8(noise.whole(below: 0xd0))
      return before([module] + noise.bytes(1 + noise.whole(below: Command.maximumLength - 1)))
    default:
      let module = 1 + UInt8(noise.whole(below: 0x19))
      let register = 0x80 | UInt8(noise.whole(below: 0x20))
      return before(
        [module, register] + noise.bytes(noise.whole(below: Command.maximumLength - 1)))
    }
  }

  /// Returns the delayed packets, if they are due.
  mutating func release(at time: Double) -> [SimulatedNotification] {
    guard let end = heldUntil, end <= time else { return [] }
    heldUntil = nil
    defer { held = [] }
    return held.map { $0.at(time) }
  }

  /// Removes and returns the delayed packets. Called when the link drops.
  mutating func dropHeld() -> [SimulatedNotification] {
    defer { held = [] }
    return held
  }

  // MARK: The battery

  private func nextDecline(_ battery: Battery) -> Double? {
    guard let decline else { return nil }
    guard battery.percent > 0, decline.battery.percent > 0 else { return decline.start }
    let lost = Double(decline.battery.percent) - Double(battery.percent) + 1
    return decline.start + decline.seconds * lost / Double(decline.battery.percent)
  }

  /// Returns the battery's new state if the battery is due to lose one percent of its charge;
  /// otherwise, returns `nil`.
  mutating func lowered(
    _ battery: Battery, at time: Double
  ) -> Battery? {
    guard let decline, let next = nextDecline(battery), next <= time else { return nil }
    let percent = battery.percent > 0 ? battery.percent - 1 : 0
    if percent == 0 { self.decline = nil }
    // Cells of this type are empty at 3 V.
    let empty = 3_000.0
    let part = Double(percent) / Double(max(1, decline.battery.percent))
    let millivolts = empty + (Double(decline.battery.millivolts) - empty) * part
    return Battery(percent: percent, millivolts: UInt16(max(0, millivolts)))
  }
}

extension SimulatedNotification {
  fileprivate func with(_ bytes: [UInt8], sampleCount: Int) -> SimulatedNotification {
    SimulatedNotification(time: time, bytes: bytes, sampleCount: sampleCount)
  }

  fileprivate func at(_ time: Double) -> SimulatedNotification {
    SimulatedNotification(time: time, bytes: bytes, sampleCount: sampleCount, surplus: surplus)
  }
}

extension SensorNoise {
  /// Returns a uniformly distributed integer that is at least 0 and less than `limit`.
  fileprivate mutating func whole(below limit: Int) -> Int {
    Int(uniform() * Double(limit))
  }

  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(whole(below: 256)) }
  }
}
