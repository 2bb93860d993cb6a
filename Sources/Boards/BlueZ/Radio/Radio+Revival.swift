public import Values

/// Switches an adapter that does not serve its boards off and on, when the radio's owner requests
/// it: only the owner knows whether samples flow.
extension Radio {
  /// Seconds for ending the links of an adapter: a kernel may crash when an adapter goes away under
  /// its links.
  private static let clearSeconds = 6.0

  /// Begins to end the links of an adapter, which is then switched off and on. Links of other
  /// programs keep it on.
  mutating func revive(_ path: String, _ resetsPort: Bool, _ reason: String, _ now: Double) {
    guard let key = adapters.first(where: { $0.value.path == path })?.key,
      adapters[key]?.discovery.isCycling == false, !hasForeignLink(path), !isEnding
    else { return }
    remark(.warning, "adapter is switched off and on", ["adapter": key.text, "reason": reason])
    adapters[key]?.discovery.resetsPort = resetsPort
    adapters[key]?.discovery.phase = .clearing(until: now + Self.clearSeconds)
  }

  /// Stops switching adapters off. An adapter that is already off is still switched on again.
  mutating func keepAdaptersOn() {
    isEnding = true
    for (key, state) in adapters {
      if case .clearing = state.discovery.phase { adapters[key]?.discovery.phase = .idle }
    }
  }

  /// Whether a device other than the wanted boards is linked over an adapter.
  func hasForeignLink(_ path: String) -> Bool {
    sight.devices.contains {
      $0.adapterPath == path && $0.isConnected && boards[$0.address] == nil
    }
  }

  /// Ends the links of an adapter, then switches it off.
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

  /// Failures so far say nothing about an adapter that starts afresh.
  mutating func beginAfresh(_ now: Double) {
    for address in boards.keys {
      boards[address]?.failures = 0
      boards[address]?.restUntil = nil
      if case .pausing = boards[address]?.phase { seek(address, now) }
    }
  }

  /// The adapters in use, for the code that judges their health.
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

/// State of an adapter from which its health is judged.
public struct AdapterCondition: Hashable, Sendable {
  /// Its address, which stays the same when it is plugged in again.
  public var key: String
  /// Its object path.
  public var path: String
  /// The last part of its object path, such as `hci0`.
  public var name: String
  /// Whether links can be made over it.
  public var isOn: Bool
  /// Whether it was switched on but did not come on.
  public var isStuck: Bool
  /// Whether it is being switched off and on.
  public var isBusy: Bool
  /// Boards that are linked over it.
  public var linked: [BoardAddress]
  /// Time of its newest link, in seconds of the boot clock; `nil` without links.
  public var linkedSince: Double?
  /// Boards that it has heard since their last link but could not link.
  public var refused: [BoardAddress]
  /// Whether it scans.
  public var isSearching: Bool
  /// Time at which it last heard any device, in seconds of the boot clock.
  public var lastHeard: Double?
  /// Whether another program has a link over it.
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
