internal import Values

/// Finds the devices that a board can be linked through, and decides which board to link next.
extension Radio {
  /// Maximum age, in seconds, at which an advertisement still proves that a board is present.
  private static let freshSeconds = 10.0

  struct Candidate {
    let key: AdapterKey
    let device: Device
  }

  /// Returns the devices that a board could be linked through now, best first.
  func candidates(for address: BoardAddress, _ now: Double) -> [Candidate] {
    guard let board = boards[address] else { return [] }
    return sight.devices.filter { $0.address == address }.compactMap { device -> Candidate? in
      guard let key = key(ofDevice: device.path), isUsable(key), hasRoom(key, now) else {
        return nil
      }
      let last = board.lastLink.map { $0.device == device.path ? $0.ended : -.infinity }
      let heard = max(device.lastHeard ?? -.infinity, last ?? -.infinity)
      let isFresh = heard > board.deafUntil && now - heard <= Self.freshSeconds
      return isFresh || device.isConnected ? Candidate(key: key, device: device) : nil
    }
    .sorted { left, right in rank(left, for: address) < rank(right, for: address) }
  }

  /// Returns a candidate's sort key. Devices that are already linked come first, then adapters with
  /// fewer boards, then stronger signals.
  private func rank(_ candidate: Candidate, for address: BoardAddress) -> (Int, Int, Int, String) {
    let others = boards(on: candidate.key).count { $0 != address }
    return (
      candidate.device.isConnected ? 0 : 1, others, -(candidate.device.rssi ?? -127),
      candidate.key.text
    )
  }

  func hasRoom(_ key: AdapterKey, _ now: Double) -> Bool {
    guard let state = adapters[key], !state.discovery.isCycling else { return false }
    return now >= state.isFullUntil && boards(on: key).count < settings.slots
  }

  /// Starts linking the next board on each idle adapter.
  mutating func linkNext(_ now: Double) {
    for address in boards.keys.sorted() where boards[address]?.isSeeking == true {
      guard let best = candidates(for: address, now).first, !isLinking(best.key),
        adapters[best.key]?.discovery.isQuiet == true || best.device.isConnected
      else { continue }
      // While a board is waiting for other boards to be found, discovery is running. The adapter is
      // therefore not idle, and the board is not linked yet.
      link(address, best, now)
    }
  }

  mutating func link(_ address: BoardAddress, _ candidate: Candidate, _ now: Double) {
    let path = candidate.device.path
    boards[address]?.device = path
    boards[address]?.isFound = candidate.device.isConnected
    if candidate.device.isConnected {
      remark(.notice, "link found", ["board": address.description])
      boards[address]?.phase = .resolving(since: now, wasLinked: true)
      return
    }
    let others = boards(on: candidate.key).filter { boards[$0]?.isUp == true }
    if !others.isEmpty { actions.append(.disturbed(others)) }
    remark(
      .detail, "connecting",
      [
        "board": address.description, "adapter": candidate.key.text,
        "attempt": "\((boards[address]?.failures ?? 0) + 1)",
        "rssi": candidate.device.rssi.map(String.init) ?? "unknown", "links": "\(others.count)",
      ])
    let number = begin(.connect(device: path))
    boards[address]?.phase = .connecting(number, since: now, isCalledOff: false)
  }
}
