internal import Values

/// The radio's own discovery on one adapter.
///
/// `idle` → `starting` → `running` → `stopping` → `idle`. A daemon whose discovery is wedged
/// answers "in progress". Discovery is then stopped and started again after a pause, four times;
/// then the adapter is switched off and on; then it rests.
struct DiscoveryState: Hashable, Sendable {
  enum Phase: Hashable {
    case idle
    case starting(Int)
    case running(since: Double)
    case stopping(Int)
    case pausing(until: Double)
    /// Its links are being ended before it is switched off, which happens at this time at the
    /// latest.
    case clearing(until: Double)
    /// Being switched off, then on; `resettingPort` is between the two.
    case switchingOff(Int)
    case resettingPort(Int)
    case switchingOn(Int)
    case resting(until: Double)
  }

  var phase = Phase.idle
  /// Consecutive refusals.
  var refusals = 0
  /// Whether the USB port is reset while the adapter is off.
  var resetsPort = false
  /// Whether the adapter was switched off and on since discovery last worked.
  var wasCycled = false
  /// Consecutive periods in which no advertisement was heard.
  var deafness = 0
  /// Seconds it has run without hearing any device, up to the last stop.
  var deafSeconds = 0.0
  /// End of the current scan window while boards stream; `nextWindow` is the earliest start of the
  /// next one.
  var windowEnd: Double?
  var nextWindow = 0.0
  /// Time since which a board could be linked, while others are still sought.
  var candidateSince: Double?

  var isCycling: Bool {
    switch phase {
    case .clearing, .switchingOff, .resettingPort, .switchingOn: true
    default: false
    }
  }

  /// Whether none of our discovery operations is active, so that links can be made.
  var isQuiet: Bool {
    switch phase {
    case .idle, .resting: true
    default: false
    }
  }

  var isRunning: Bool { if case .running = phase { true } else { false } }
}

extension Radio {
  /// Number of further requests after a refused discovery.
  private static let startAttempts = 4
  private static let startPause = 0.5
  /// Seconds of scanning without any advertisement that count as a fault.
  private static let deafSeconds = 90.0
  /// Number of the restart at which the adapter is switched off and on instead.
  private static let deafRestarts = 2
  private static let restSeconds = 60.0
  /// Length and period of the scan windows for missing boards while boards stream.
  static let windowSeconds = 5.0
  static let windowPeriod = 60.0
  /// Seconds for which a found board waits for others to be found.
  private static let gatherSeconds = 2.0

  mutating func settleDiscovery(_ key: AdapterKey, _ now: Double) {
    guard let path = adapters[key]?.path,
      isUsable(key) || adapters[key]?.discovery.isCycling == true
    else { return }
    let isWanted = isDiscoveryWanted(key, now)
    guard let discovery = adapters[key]?.discovery else { return }
    switch discovery.phase {
    case .idle:
      if isWanted { startDiscovery(key, path) }
    case .running(let since):
      hear(key, since: since, now)
      if isWanted {
        watch(key, since: since, now)
      } else {
        stopDiscovery(key, since: since, now)
      }
    case .pausing(let until), .resting(let until):
      guard now >= until else { return wake(at: until) }
      adapters[key]?.discovery.phase = .idle
      if isWanted { startDiscovery(key, path) }
    case .clearing(let until):
      settleClearing(key, path, until: until, now)
    case .starting, .stopping, .switchingOff, .resettingPort, .switchingOn:
      break
    }
  }

  private mutating func startDiscovery(_ key: AdapterKey, _ path: String) {
    let number = begin(.startDiscovery(adapter: path))
    adapters[key]?.discovery.phase = .starting(number)
  }

  /// Whether the adapter should be scanning now.
  private mutating func isDiscoveryWanted(_ key: AdapterKey, _ now: Double) -> Bool {
    guard !isLinking(key) else { return false }
    let seeking = boards.keys.sorted().filter { boards[$0]?.isSeeking == true }
    let unheard = seeking.filter { candidates(for: $0, now).isEmpty }
    let ready = seeking.contains { candidates(for: $0, now).first?.key == key }
    if !ready {
      adapters[key]?.discovery.candidateSince = nil
    } else if adapters[key]?.discovery.candidateSince == nil {
      adapters[key]?.discovery.candidateSince = now
    }
    if ready {
      let gathered = (adapters[key]?.discovery.candidateSince ?? now) + Self.gatherSeconds
      // Only a discovery that is already running is worth waiting for.
      guard !unheard.isEmpty, adapters[key]?.discovery.isRunning == true, now < gathered else {
        return false
      }
      wake(at: gathered)
    }
    if isScanWanted { return true }
    guard !unheard.isEmpty, hasRoom(key, now) else { return false }
    return isStreaming(key) ? isWindowOpen(key, now) : true
  }

  /// Scanning takes air time from the streams, so it is done in short windows.
  private mutating func isWindowOpen(_ key: AdapterKey, _ now: Double) -> Bool {
    guard var discovery = adapters[key]?.discovery else { return false }
    defer { adapters[key]?.discovery = discovery }
    if let end = discovery.windowEnd {
      if now < end {
        wake(at: end)
        return true
      }
      discovery.windowEnd = nil
    }
    guard now >= discovery.nextWindow else {
      wake(at: discovery.nextWindow)
      return false
    }
    discovery.windowEnd = now + Self.windowSeconds
    discovery.nextWindow = now + Self.windowPeriod
    wake(at: now + Self.windowSeconds)
    return true
  }

  /// Notes whether any device was heard since the discovery began.
  private mutating func hear(_ key: AdapterKey, since: Double, _ now: Double) {
    guard let path = adapters[key]?.path else { return }
    let heard = sight.devices.contains { device in
      device.adapterPath == path && (device.lastHeard ?? 0) > since
    }
    if heard {
      adapters[key]?.discovery.deafness = 0
      adapters[key]?.discovery.deafSeconds = 0
      adapters[key]?.discovery.wasCycled = false
      // Silence counts again from this moment.
      let last = sight.devices.filter { $0.adapterPath == path }.compactMap(\.lastHeard).max()
      adapters[key]?.discovery.phase = .running(since: last ?? now)
    }
  }

  /// Restarts discovery when no device at all is heard: rooms without any device are rare.
  private mutating func watch(_ key: AdapterKey, since: Double, _ now: Double) {
    guard let discovery = adapters[key]?.discovery, case .running(let since) = discovery.phase
    else { return }
    let due = since + Self.deafSeconds - discovery.deafSeconds
    guard now >= due else { return wake(at: due) }
    adapters[key]?.discovery.deafSeconds = 0
    adapters[key]?.discovery.deafness += 1
    if discovery.deafness + 1 >= Self.deafRestarts {
      adapters[key]?.discovery.deafness = 0
      if cycle(key, "nothing is heard") { return }
    }
    remark(
      .warning, "nothing is heard",
      ["adapter": key.text, "remedy": "check its antenna and that the boards are awake"])
    stopDiscovery(key, since: now, now)
  }

  private mutating func stopDiscovery(_ key: AdapterKey, since: Double, _ now: Double) {
    guard let path = adapters[key]?.path else { return }
    let number = begin(.stopDiscovery(adapter: path))
    adapters[key]?.discovery.deafSeconds += now - since
    adapters[key]?.discovery.phase = .stopping(number)
  }

  /// Switches the adapter off and on. Not if that was already tried, or while any device is linked
  /// over the adapter, whether a board or not.
  private mutating func cycle(_ key: AdapterKey, _ reason: String) -> Bool {
    guard let state = adapters[key], let path = state.path, !state.discovery.wasCycled, !isEnding,
      boards(on: key).isEmpty,
      !sight.devices.contains(where: { $0.adapterPath == path && $0.isConnected })
    else { return false }
    remark(.warning, "adapter is switched off and on", ["adapter": key.text, "reason": reason])
    adapters[key]?.discovery.wasCycled = true
    switchOff(key, path)
    return true
  }

  /// Begins to switch an adapter off; it comes on again without another request.
  mutating func switchOff(_ key: AdapterKey, _ path: String) {
    let number = begin(.power(adapter: path, false))
    actions.append(.switched(adapter: path))
    adapters[key]?.discovery.refusals = 0
    adapters[key]?.discovery.phase = .switchingOff(number)
  }

  mutating func endedDiscovery(
    _ key: AdapterKey, _ operation: Operation, _ refusal: Refusal?, _ now: Double
  ) {
    guard let state = adapters[key], let path = state.path else { return }
    switch state.discovery.phase {
    case .starting(operation.number):
      started(key, refusal, now)
    case .stopping(operation.number):
      // Whatever the reply, none of our discoveries is running any more.
      adapters[key]?.discovery.phase = .idle
    case .switchingOff(operation.number) where state.discovery.resetsPort:
      let number = begin(.resetPort(adapter: path))
      adapters[key]?.discovery.phase = .resettingPort(number)
    case .switchingOff(operation.number), .resettingPort(operation.number):
      adapters[key]?.discovery.resetsPort = false
      let number = begin(.power(adapter: path, true))
      adapters[key]?.discovery.phase = .switchingOn(number)
    case .switchingOn(operation.number):
      adapters[key]?.discovery.phase = .idle
      adapters[key]?.power = .switching(operation.number, until: now + Self.startPause * 4)
      beginAfresh(now)
    default:
      break
    }
  }

  private mutating func started(_ key: AdapterKey, _ refusal: Refusal?, _ now: Double) {
    guard let path = adapters[key]?.path else { return }
    switch refusal?.kind {
    case nil:
      adapters[key]?.discovery.refusals = 0
      adapters[key]?.discovery.phase = .running(since: now)
    case .blocked:
      adapters[key]?.discovery.phase = .idle
      turnOff(key, .blocked, refusedAt: now)
    case .denied:
      adapters[key]?.discovery.phase = .idle
      turnOff(key, .denied(refusal?.text ?? ""), refusedAt: now)
    case .daemonLost, .gone:
      adapters[key]?.discovery.phase = .resting(until: now + Self.startPause)
    case .off:
      // The adapter's power is examined again; until the daemon shows it, nothing is requested.
      adapters[key]?.discovery.phase = .resting(until: now + Self.startPause)
    case .underWay, .unanswered:
      adapters[key]?.discovery.refusals += 1
      let refusals = adapters[key]?.discovery.refusals ?? 0
      if refusals <= Self.startAttempts {
        // Do not wait for it: the pause is longer than the reply takes.
        _ = begin(.stopDiscovery(adapter: path))
        adapters[key]?.discovery.phase = .pausing(until: now + Self.startPause)
      } else if !cycle(key, "discovery is wedged") {
        giveDiscoveryUp(key, refusal, now)
      }
    default:
      giveDiscoveryUp(key, refusal, now)
    }
  }

  private mutating func giveDiscoveryUp(_ key: AdapterKey, _ refusal: Refusal?, _ now: Double) {
    adapters[key]?.discovery.refusals = 0
    adapters[key]?.discovery.wasCycled = false
    adapters[key]?.discovery.phase = .resting(until: now + Self.restSeconds)
    remark(
      .warning, "discovery is refused",
      [
        "adapter": key.text, "reason": refusal?.text ?? "",
        "remedy": "restart bluetoothd with 'sudo systemctl restart bluetooth'",
      ])
  }
}
