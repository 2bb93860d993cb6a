public import Values

/// Power-cycles a malfunctioning adapter. The radio's owner requests this, because only the owner
/// knows whether samples are arriving.
extension Radio {
  /// Time limit, in seconds, for closing an adapter's links before the adapter is switched off.
  /// Some kernels may crash if an adapter disappears while it has links.
  private static let clearSeconds = 6.0

  /// Starts closing an adapter's links, so that the adapter can be power-cycled. Does nothing if
  /// other programs have links over the adapter.
  mutating func revive(_ path: String, _ resetsPort: Bool, _ reason: String, _ now: Double) {
    guard let key = adapters.first(where: { $0.value.path == path })?.key,
      adapters[key]?.discovery.isCycling == false, !hasForeignLink(path), !isEnding
    else { return }
    remark(.warning, "switching adapter off and on", ["adapter": key.text, "reason": reason])
    adapters[key]?.discovery.resetsPort = resetsPort
    adapters[key]?.discovery.phase = .clearing(until: now + Self.clearSeconds)
  }

  /// Prevents the radio from switching off any more adapters. An adapter that is already off is
  /// still switched on again.
  mutating func keepAdaptersOn() {
    isEnding = true
    for (key, state) in adapters {
      if case .clearing = state.discovery.phase { adapters[key]?.discovery.phase = .idle }
    }
  }

  /// Whether any device that is not one of the wanted boards is linked over an adapter.
  func hasForeignLink(_ path: String) -> Bool {
    sight.devices.contains {
      $0.adapterPath == path && $0.isConnected && boards[$0.address] == nil
    }
  }

  /// Switches an adapter off once its links are closed or the time allowed for closing them has run
  /// out.
  mutating func settleClearing(
    _ key: AdapterKey, _ path: String, until limit: Double, _ now: Double
  ) {
    for address in boards(on: key) {
      guard let board = boards[address], let device = board.device else { continue }
      switch board.phase {
      case .up(let since):
        noteEnd(address, since: since, now)
        actions.append(.down(address))
        drop(address, device, .seek, now)
      case .resolving, .rereading:
        drop(address, device, .seek, now)
      case .connecting(let number, _, false):
        _ = begin(.disconnect(device: device))
        boards[address]?.phase = .connecting(number, since: now, isCalledOff: true)
      case .connecting, .dropping, .removing, .idle, .seeking, .pausing:
        break
      }
    }
    guard boards(on: key).isEmpty || now >= limit else { return wake(at: limit) }
    switchOff(key, path)
  }

  /// Resets every board's failure count and ends its pause, because earlier failures no longer
  /// matter after an adapter has restarted.
  mutating func beginAfresh(_ now: Double) {
    for address in boards.keys {
      boards[address]?.failures = 0
      boards[address]?.restUntil = nil
      if case .pausing = boards[address]?.phase { seek(address, now) }
    }
  }

  /// The condition of each active adapter, from which its health is assessed.
  public var conditions: [AdapterCondition] {
    adapters.sorted { $0.key < $1.key }.compactMap { key, state in
      guard let path = state.path, isChosen(key), let adapter = sight.adapter(at: path) else {
        return nil
      }
      let own = sight.devices.filter { $0.adapterPath == path }
      let refused = own.filter { device in
        guard let board = boards[device.address], board.isWanted, !board.isUp,
          board.failures > 0, let heard = device.lastHeard
        else { return false }
        return board.lastLink.map { heard > $0.ended } ?? true
      }
      let links = boards(on: key).compactMap { address -> (BoardAddress, Double)? in
        if case .up(let since) = boards[address]?.phase { (address, since) } else { nil }
      }
      return AdapterCondition(
        key: key.text, path: path, name: adapter.name, isOn: isUsable(key),
        isStuck: state.isStuck, isBusy: state.discovery.isCycling,
        linked: links.map(\.0), linkedSince: links.map(\.1).max(),
        refused: refused.map(\.address).sorted(),
        isSearching: state.discovery.isRunning, lastHeard: own.compactMap(\.lastHeard).max(),
        hasForeignLink: hasForeignLink(path))
    }
  }
}

/// The condition of an adapter, used to assess its health.
public struct AdapterCondition: Hashable, Sendable {
  /// The adapter's address, which stays the same when the adapter is plugged in again.
  public var key: String
  public var path: String
  /// The last component of the object path, such as `hci0`.
  public var name: String
  /// Whether boards can be linked over the adapter.
  public var isOn: Bool
  /// Whether the adapter failed to power up after it was switched on.
  public var isStuck: Bool
  /// Whether the adapter is being power-cycled.
  public var isBusy: Bool
  public var linked: [BoardAddress]
  /// Time when the newest of the adapter's links was established, in seconds on the boot clock.
  /// `nil` if there are no links.
  public var linkedSince: Double?
  /// Boards that could not be connected, although the adapter has received advertisements from them
  /// since their last link.
  public var refused: [BoardAddress]
  public var isSearching: Bool
  /// Time when the adapter last received an advertisement from any device, in seconds on the boot
  /// clock.
  public var lastHeard: Double?
  /// Whether another program has a link over the adapter.
  public var hasForeignLink: Bool

  public init(
    key: String, path: String, name: String, isOn: Bool = true, isStuck: Bool = false,
    isBusy: Bool = false, linked: [BoardAddress] = [], linkedSince: Double? = nil,
    refused: [BoardAddress] = [],
    isSearching: Bool = false, lastHeard: Double? = nil, hasForeignLink: Bool = false
  ) {
    self.key = key
    self.path = path
    self.name = name
    self.isOn = isOn
    self.isStuck = isStuck
    self.isBusy = isBusy
    self.linked = linked
    self.linkedSince = linkedSince
    self.refused = refused
    self.isSearching = isSearching
    self.lastHeard = lastHeard
    self.hasForeignLink = hasForeignLink
  }
}
