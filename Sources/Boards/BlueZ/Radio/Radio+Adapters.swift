internal import Values

/// An adapter's state, kept also while it is unplugged.
struct AdapterState: Sendable {
  enum Power: Hashable {
    /// Not examined since it appeared.
    case unknown
    /// Being switched on by this operation; after it ends, the radio waits until `until`.
    case switching(Int, until: Double?)
    case on
    /// Off, and we must not switch it on.
    case off(Obstacle)
  }

  /// Object path; `nil` while it is unplugged.
  var path: String?
  /// Last object path, to notice when the adapter returns under another one.
  var lastPath: String
  var power = Power.unknown
  var discovery = DiscoveryState()
  /// Whether the radio has used it: then the radio switches it on again when it returns.
  var isOurs = false
  /// Time since which it refuses although the daemon shows it on; `nil` once the daemon shows it
  /// off.
  var refusedSince: Double?
  /// Whether it was switched on but did not come on.
  var isStuck = false
  /// The controller reported that it takes no more links until this time.
  var isFullUntil = -Double.infinity

  init(path: String) {
    self.path = path
    lastPath = path
  }
}

extension Radio {
  /// Seconds to wait for an adapter to be on after switching it on.
  private static let powerSeconds = 10.0
  /// Seconds until an adapter that is on and refuses is asked again.
  private static let refusedSeconds = 60.0

  /// The reason no board can be linked now; `nil` also while the radio is finding out.
  public var obstacle: Obstacle? {
    guard sight.isDaemonPresent else { return .daemonMissing }
    let present = adapters.filter { $0.value.path != nil && isChosen($0.key) }
    guard !present.isEmpty else { return .noAdapter }
    var first: Obstacle?
    for (_, state) in present.sorted(by: { $0.key < $1.key }) {
      guard case .off(let obstacle) = state.power else { return nil }
      first = first ?? obstacle
    }
    return first
  }

  /// Takes over the daemon's present objects.
  mutating func see(_ sight: Sight, _ now: Double) {
    let before = self.sight
    self.sight = sight
    if before.isDaemonPresent, !sight.isDaemonPresent {
      remark(
        .warning, "bluetoothd is gone",
        ["remedy": "Footbridge waits for it; 'systemctl status bluetooth' shows why"])
    }
    if !before.isDaemonPresent, sight.isDaemonPresent, !adapters.isEmpty {
      remark(.notice, "bluetoothd is back", [:])
    }
    if adapters.isEmpty { tellOfMissing(sight) }
    for adapter in sight.adapters { appear(adapter, now) }
    for (key, state) in adapters where state.path != nil {
      guard !sight.adapters.contains(where: { AdapterKey($0) == key && $0.path == state.path })
      else { continue }
      adapters[key]?.path = nil
      adapters[key]?.power = .unknown
      adapters[key]?.discovery = DiscoveryState()
      if sight.isDaemonPresent { remark(.warning, "adapter is gone", ["adapter": key.text]) }
    }
  }

  /// Reports the chosen adapters that are missing at the first sight. If all are missing, that is
  /// an obstacle, and is reported as one.
  private mutating func tellOfMissing(_ sight: Sight) {
    let present = sight.adapters.compactMap(\.address)
    guard settings.adapters.contains(where: present.contains) else { return }
    for address in settings.adapters where !present.contains(address) {
      remark(
        .warning, "adapter not found",
        ["adapter": address.description, "remedy": "plug it in; Footbridge uses it at once"])
    }
  }

  private mutating func appear(_ adapter: Adapter, _ now: Double) {
    let key = AdapterKey(adapter)
    guard let known = adapters[key] else {
      adapters[key] = AdapterState(path: adapter.path)
      return
    }
    guard known.path != adapter.path else { return }
    adapters[key]?.path = adapter.path
    adapters[key]?.power = .unknown
    adapters[key]?.discovery = DiscoveryState()
    if known.lastPath != adapter.path {
      remark(.notice, "adapter has returned", ["adapter": key.text, "as": adapter.name])
    }
    adapters[key]?.lastPath = adapter.path
    beginAfresh(now)
  }

  /// Whether an adapter may be used. Without a choice by the user: every central that is on, or the
  /// first central if none is on.
  func isChosen(_ key: AdapterKey) -> Bool {
    guard settings.adapters.isEmpty else {
      return settings.adapters.contains { $0.description == key.text }
    }
    let centrals = sight.adapters.filter(\.canBeCentral)
    // Adapters that the radio switched on, or that went off while it used them, stay in use.
    let own = centrals.filter { adapters[AdapterKey($0)]?.isOurs == true }
    let inUse = centrals.filter(\.isPowered) + own
    let usable = inUse.isEmpty ? Array(centrals.prefix(1)) : inUse
    return usable.contains { AdapterKey($0) == key }
  }

  /// Whether links can be made over an adapter now.
  func isUsable(_ key: AdapterKey) -> Bool {
    adapters[key]?.path != nil && adapters[key]?.power == .on && isChosen(key)
  }

  /// Follows the adapter's power; switches it on once when it appears, and never against the user.
  mutating func settleAdapter(_ key: AdapterKey, _ now: Double) {
    guard let state = adapters[key], let path = state.path,
      let adapter = sight.adapter(at: path), isChosen(key)
    else { return }
    // The radio itself is switching the adapter off and on.
    if state.discovery.isCycling { return }
    adapters[key]?.isOurs = true
    if now < state.isFullUntil { wake(at: state.isFullUntil) }
    switch state.power {
    case .unknown where adapter.isPowered, .switching where adapter.isPowered:
      adapters[key]?.power = .on
      adapters[key]?.isStuck = false
    case .unknown:
      let number = begin(.power(adapter: path, true))
      adapters[key]?.power = .switching(number, until: nil)
    case .switching(_, let limit?):
      guard now >= limit else { return wake(at: limit) }
      adapters[key]?.isStuck = !adapter.isBlocked
      turnOff(key, adapter.isBlocked ? .blocked : .off)
    case .switching(_, nil):
      break
    case .on where !adapter.isPowered:
      turnOff(key, adapter.isBlocked ? .blocked : .off)
    case .on:
      break
    case .off where adapter.isPowered:
      // An adapter that is on may still be forbidden to us: it would refuse again at once.
      if let since = state.refusedSince, now < since + Self.refusedSeconds {
        return wake(at: since + Self.refusedSeconds)
      }
      adapters[key]?.power = .on
      adapters[key]?.isStuck = false
      if state.refusedSince == nil {
        remark(.notice, "adapter is on again", ["adapter": key.text])
      }
    case .off:
      adapters[key]?.refusedSince = nil
    }
  }

  /// Marks an adapter as unusable; if the daemon shows it to be on, it is tried again after a
  /// while.
  mutating func turnOff(_ key: AdapterKey, _ obstacle: Obstacle, refusedAt now: Double? = nil) {
    adapters[key]?.refusedSince = now
    guard adapters[key]?.power != .off(obstacle) else { return }
    adapters[key]?.power = .off(obstacle)
    adapters[key]?.discovery = DiscoveryState()
    switch obstacle {
    case .blocked:
      remark(
        .warning, "adapter is blocked",
        ["adapter": key.text, "remedy": "unblock it with 'rfkill unblock bluetooth'"])
    case .denied(let text):
      remark(
        .warning, "no permission to use the adapter",
        [
          "adapter": key.text, "reason": text,
          "remedy": "add the user to the group 'bluetooth' and log in again",
        ])
    default:
      remark(
        .warning, "adapter is off",
        ["adapter": key.text, "remedy": "switch it on with 'bluetoothctl power on'"])
    }
  }

  /// Handles the end of switching an adapter, or of a step of its discovery.
  mutating func endedOnAdapter(
    _ key: AdapterKey, _ operation: Operation, _ refusal: Refusal?, _ now: Double
  ) {
    if case .switching(operation.number, _) = adapters[key]?.power {
      switch refusal?.kind {
      case nil, .underWay:
        adapters[key]?.power = .switching(operation.number, until: now + Self.powerSeconds)
      case .blocked:
        turnOff(key, .blocked, refusedAt: now)
      case .denied:
        turnOff(key, .denied(refusal?.text ?? ""), refusedAt: now)
      case .daemonLost, .gone:
        // The adapter is gone, as the next sight will show; when it returns, it is tried again.
        adapters[key]?.power = .switching(operation.number, until: now + Self.powerSeconds)
      default:
        let isBlocked = adapters[key]?.path.flatMap { sight.adapter(at: $0) }?.isBlocked
        turnOff(key, isBlocked == true ? .blocked : .off)
      }
    }
    endedDiscovery(key, operation, refusal, now)
  }

  /// Boards that have a link over an adapter, or are being linked over it.
  func boards(on key: AdapterKey) -> [BoardAddress] {
    guard let path = adapters[key]?.path else { return [] }
    return boards.filter { $0.value.device?.hasPrefix(path + "/") == true }.map(\.key).sorted()
  }

  /// Whether a board is being linked over an adapter, which then does nothing else.
  func isLinking(_ key: AdapterKey) -> Bool {
    boards(on: key).contains { boards[$0]?.isLinking == true }
  }

  /// Whether a board on this adapter streams.
  func isStreaming(_ key: AdapterKey) -> Bool {
    boards(on: key).contains { boards[$0]?.isStreaming == true }
  }

  /// The adapter a device belongs to.
  func key(ofDevice path: String) -> AdapterKey? {
    adapters.first { key, state in state.path.map { path.hasPrefix($0 + "/") } ?? false }?.key
  }
}
