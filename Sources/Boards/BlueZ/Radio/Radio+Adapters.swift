internal import Values

/// The state of an adapter. It is kept while the adapter is unplugged.
struct AdapterState: Sendable {
  enum Power: Hashable {
    /// The radio has not examined the adapter since it appeared.
    case unknown
    /// This operation is switching the adapter on. Once the operation ends, the adapter has until
    /// `until` to power up.
    case switching(Int, until: Double?)
    case on
    /// The adapter cannot be used because of this obstacle, and the radio must not switch it on.
    case off(Obstacle)
  }

  /// Object path, or `nil` while the adapter is unplugged.
  var path: String?
  /// The adapter's last object path, used to detect that the adapter has reappeared under another
  /// path.
  var lastPath: String
  var power = Power.unknown
  var discovery = DiscoveryState()
  /// Whether the radio has used the adapter. If so, the radio switches it on again when it
  /// reappears.
  var isOurs = false
  /// Time when the adapter last refused a call although the daemon reports it as on. Reset to `nil`
  /// once the daemon reports the adapter as off.
  var refusedSince: Double?
  /// Whether the adapter failed to power up after it was switched on.
  var isStuck = false
  /// Time until which the adapter is considered full, because its controller refused another link.
  var isFullUntil = -Double.infinity

  init(path: String) {
    self.path = path
    lastPath = path
  }
}

extension Radio {
  /// Seconds to wait for an adapter to power up after the radio switches it on.
  private static let powerSeconds = 10.0
  /// Seconds before retrying an adapter that is on but refuses calls.
  private static let refusedSeconds = 60.0

  /// The obstacle that currently prevents all boards from being linked. `nil` if links are
  /// possible, or if the radio has not determined this yet.
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

  /// Updates the radio from the daemon's current objects.
  mutating func see(_ sight: Sight, _ now: Double) {
    let before = self.sight
    self.sight = sight
    if before.isDaemonPresent, !sight.isDaemonPresent {
      remark(
        .warning, "bluetoothd is gone",
        ["remedy": "Footbridge waits for bluetoothd; 'systemctl status bluetooth' shows the reason"]
      )
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

  /// Reports which of the adapters chosen by the user are missing when the daemon's objects are
  /// first read. If all chosen adapters are missing, an obstacle is reported instead.
  private mutating func tellOfMissing(_ sight: Sight) {
    let present = sight.adapters.compactMap(\.address)
    guard settings.adapters.contains(where: present.contains) else { return }
    for address in settings.adapters where !present.contains(address) {
      remark(
        .warning, "adapter not found",
        [
          "adapter": address.description,
          "remedy": "plug in the adapter; Footbridge then uses it immediately",
        ])
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

  /// Whether an adapter may be used. If the user did not choose any adapters, all centrals that are
  /// on may be used, or only the first central if all are off.
  func isChosen(_ key: AdapterKey) -> Bool {
    guard settings.adapters.isEmpty else {
      return settings.adapters.contains { $0.description == key.text }
    }
    let centrals = sight.adapters.filter(\.canBeCentral)
    // Adapters that the radio switched on remain in use, as do adapters that went off while in use.
    let own = centrals.filter { adapters[AdapterKey($0)]?.isOurs == true }
    let inUse = centrals.filter(\.isPowered) + own
    let usable = inUse.isEmpty ? Array(centrals.prefix(1)) : inUse
    return usable.contains { AdapterKey($0) == key }
  }

  /// Whether links can currently be established over an adapter.
  func isUsable(_ key: AdapterKey) -> Bool {
    adapters[key]?.path != nil && adapters[key]?.power == .on && isChosen(key)
  }

  /// Tracks an adapter's power state. Switches the adapter on once when it appears, but not if it
  /// is later switched off.
  mutating func settleAdapter(_ key: AdapterKey, _ now: Double) {
    guard let state = adapters[key], let path = state.path,
      let adapter = sight.adapter(at: path), isChosen(key)
    else { return }
    // The radio itself is currently power-cycling the adapter.
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
      // This process may not have permission to use the adapter, even though the adapter is on.
      // Another call would then be refused immediately.
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

  /// Marks an adapter as unusable because of an obstacle. If the daemon reports the adapter as on,
  /// the radio tries it again after a while.
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

  /// Handles the end of an operation that switches an adapter's power or controls its discovery.
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
        // The adapter is gone, as the daemon's objects will soon show. The operation is retried
        // when the adapter reappears.
        adapters[key]?.power = .switching(operation.number, until: now + Self.powerSeconds)
      default:
        let isBlocked = adapters[key]?.path.flatMap { sight.adapter(at: $0) }?.isBlocked
        turnOff(key, isBlocked == true ? .blocked : .off)
      }
    }
    endedDiscovery(key, operation, refusal, now)
  }

  /// Returns the boards that are linked or being linked over an adapter.
  func boards(on key: AdapterKey) -> [BoardAddress] {
    guard let path = adapters[key]?.path else { return [] }
    return boards.filter { $0.value.device?.hasPrefix(path + "/") == true }.map(\.key).sorted()
  }

  /// Whether a board is being linked over an adapter. During that time, the adapter cannot do
  /// anything else.
  func isLinking(_ key: AdapterKey) -> Bool {
    boards(on: key).contains { boards[$0]?.isLinking == true }
  }

  func isStreaming(_ key: AdapterKey) -> Bool {
    boards(on: key).contains { boards[$0]?.isStreaming == true }
  }

  func key(ofDevice path: String) -> AdapterKey? {
    adapters.first { key, state in state.path.map { path.hasPrefix($0 + "/") } ?? false }?.key
  }
}
