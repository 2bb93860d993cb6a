internal import Values

/// The state of the discovery that the radio itself runs on one adapter.
///
/// `idle` → `starting` → `running` → `stopping` → `idle`. A daemon whose discovery is stuck replies
/// "in progress". The radio then stops discovery and starts it again after a pause, up to four
/// times. After that, it power-cycles the adapter. As a last resort, it stops discovery for a
/// while.
struct DiscoveryState: Hashable, Sendable {
  enum Phase: Hashable {
    case idle
    case starting(Int)
    case running(since: Double)
    case stopping(Int)
    case pausing(until: Double)
    /// The adapter's links are being closed. At `until`, the adapter is switched off even if some
    /// links remain.
    case clearing(until: Double)
    /// The adapter is being switched off and then on. `resettingPort` may occur in between.
    case switchingOff(Int)
    case resettingPort(Int)
    case switchingOn(Int)
    case resting(until: Double)
  }

  var phase = Phase.idle
  /// Number of consecutive failed attempts to start discovery.
  var refusals = 0
  /// Whether to reset the adapter's USB port while the adapter is off.
  var resetsPort = false
  /// Whether the adapter has been power-cycled since its discovery last worked.
  var wasCycled = false
  /// Number of consecutive scanning periods without any advertisement.
  var deafness = 0
  /// Seconds of discovery without any advertisement, accumulated until discovery was last stopped.
  var deafSeconds = 0.0
  /// Time when the current scan window ends. Windows limit scanning while boards stream.
  /// `nextWindow` is the earliest start of the next window.
  var windowEnd: Double?
  var nextWindow = 0.0
  /// Time when the first board became ready to be linked, or `nil` if none is ready. The radio may
  /// keep searching for other boards for a short time.
  var candidateSince: Double?

  var isCycling: Bool {
    switch phase {
    case .clearing, .switchingOff, .resettingPort, .switchingOn: true
    default: false
    }
  }

  /// Whether no discovery operation is in progress on the adapter. If so, boards can be linked.
  var isQuiet: Bool {
    switch phase {
    case .idle, .resting: true
    default: false
    }
  }

  var isRunning: Bool { if case .running = phase { true } else { false } }
}

extension Radio {
  /// Maximum number of retries after the daemon refused to start discovery.
  private static let startAttempts = 4
  private static let startPause = 0.5
  /// Seconds of scanning without any advertisement after which a fault is suspected.
  private static let deafSeconds = 90.0
  /// Number of consecutive scanning periods without any advertisement after which the radio
  /// power-cycles the adapter. After fewer periods, it only restarts discovery.
  private static let deafRestarts = 2
  private static let restSeconds = 60.0
  /// Length, in seconds, of the windows in which an adapter scans for missing boards while other
  /// boards stream. A window opens every `windowPeriod` seconds.
  static let windowSeconds = 5.0
  static let windowPeriod = 60.0
  /// Maximum time, in seconds, that a board waits to be linked while the radio searches for other
  /// boards.
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
      // Waiting for boards that have not advertised yet is worthwhile only if discovery is already
      // running.
      guard !unheard.isEmpty, adapters[key]?.discovery.isRunning == true, now < gathered else {
        return false
      }
      wake(at: gathered)
    }
    if isScanWanted { return true }
    guard !unheard.isEmpty, hasRoom(key, now) else { return false }
    return isStreaming(key) ? isWindowOpen(key, now) : true
  }

  /// Whether a scan window is open. Scanning takes air time from the streams, so the adapter scans
  /// only in short windows.
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

  /// Records whether the adapter has received an advertisement after `since`. If so, measures its
  /// silence from the last one.
  private mutating func hear(_ key: AdapterKey, since: Double, _ now: Double) {
    guard let path = adapters[key]?.path else { return }
    let heard = sight.devices.contains { device in
      device.adapterPath == path && (device.lastHeard ?? 0) > since
    }
    if heard {
      adapters[key]?.discovery.deafness = 0
      adapters[key]?.discovery.deafSeconds = 0
      adapters[key]?.discovery.wasCycled = false
      let last = sight.devices.filter { $0.adapterPath == path }.compactMap(\.lastHeard).max()
      adapters[key]?.discovery.phase = .running(since: last ?? now)
    }
  }

  /// Restarts discovery if the adapter does not receive any advertisements. Nearly every room
  /// contains a Bluetooth device, so silence suggests a fault.
  private mutating func watch(_ key: AdapterKey, since: Double, _ now: Double) {
    guard let discovery = adapters[key]?.discovery, case .running(let since) = discovery.phase
    else { return }
    let due = since + Self.deafSeconds - discovery.deafSeconds
    guard now >= due else { return wake(at: due) }
    adapters[key]?.discovery.deafSeconds = 0
    adapters[key]?.discovery.deafness += 1
    if discovery.deafness + 1 >= Self.deafRestarts {
      adapters[key]?.discovery.deafness = 0
      if cycle(key, "no device heard") { return }
    }
    remark(
      .warning, "no device heard",
      [
        "adapter": key.text,
        "remedy": "check the adapter's antenna, and check that the boards are awake",
      ])
    stopDiscovery(key, since: now, now)
  }

  private mutating func stopDiscovery(_ key: AdapterKey, since: Double, _ now: Double) {
    guard let path = adapters[key]?.path else { return }
    let number = begin(.stopDiscovery(adapter: path))
    adapters[key]?.discovery.deafSeconds += now - since
    adapters[key]?.discovery.phase = .stopping(number)
  }

  /// Power-cycles an adapter. Returns `false` if this was already tried, if the radio is shutting
  /// down, or if any device, board or not, is linked over the adapter.
  private mutating func cycle(_ key: AdapterKey, _ reason: String) -> Bool {
    guard let state = adapters[key], let path = state.path, !state.discovery.wasCycled, !isEnding,
      boards(on: key).isEmpty,
      !sight.devices.contains(where: { $0.adapterPath == path && $0.isConnected })
    else { return false }
    remark(.warning, "switching adapter off and on", ["adapter": key.text, "reason": reason])
    adapters[key]?.discovery.wasCycled = true
    switchOff(key, path)
    return true
  }

  /// Starts switching an adapter off. Once the adapter is off, the radio automatically switches it
  /// on again.
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
      // Whatever the daemon replied, the radio's discovery is no longer running.
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
      // The daemon is about to report the adapter as off. Until then, every request would be
      // refused.
      adapters[key]?.discovery.phase = .resting(until: now + Self.startPause)
    case .underWay, .unanswered:
      adapters[key]?.discovery.refusals += 1
      let refusals = adapters[key]?.discovery.refusals ?? 0
      if refusals <= Self.startAttempts {
        // There is no need to wait for the reply: this call finishes during the pause before
        // discovery restarts.
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
