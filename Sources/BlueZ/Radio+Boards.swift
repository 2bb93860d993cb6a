internal import Recording

extension Radio {
  /// Seconds for which an advertisement says that a board is there.
  private static let freshSeconds = 10.0
  /// Seconds after which an attempt at a link is called off.
  private static let connectSeconds = 25.0
  /// Seconds until the link of a finished attempt shows, and until its attributes do.
  private static let linkSeconds = 2.0
  private static let resolveSeconds = 15.0
  /// Attributes may be announced after the word that they are all there.
  private static let graceSeconds = 0.5
  /// A link that has lasted so long was a good one.
  private static let stableSeconds = 60.0
  /// A link that has not lasted so long was of no use: it counts as a failed attempt.
  private static let briefSeconds = 2.0
  /// A device's entry is removed at most once in this time.
  private static let removalSeconds = 3_600.0
  private static let noSlotSeconds = 4.0
  /// Answers in a row that have to stay out until the daemon is suspected.
  private static let suspicion = 3
  /// Seconds until the end of a link is believed although the daemon does not confirm it.
  private static let dropSeconds = 8.0
  /// Seconds in which the daemon shows what it refused an attempt for.
  private static let hearsaySeconds = 0.5

  mutating func want(_ address: BoardAddress, _ patience: Patience?, _ now: Double) {
    if boards[address] == nil { boards[address] = BoardState(seekingSince: now) }
    boards[address]?.isWanted = true
    boards[address]?.patience = patience
    boards[address]?.seekingSince = now
    // Whoever asks anew has its own patience.
    if patience != nil {
      boards[address]?.failures = 0
      boards[address]?.restUntil = nil
    }
    if boards[address]?.phase == .idle { setOut(address, now) }
    guard let board = boards[address], board.isUp, let path = board.device else { return }
    // It is up already: whoever asks again is told again.
    actions.append(.up(address, path: path))
  }

  mutating func renew(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address], board.isUp, let path = board.device else { return }
    drop(address, path, .remove, now)
  }

  // MARK: Where a board can be linked

  struct Candidate {
    let key: AdapterKey
    let device: Device
  }

  /// Devices over which a board could be linked now, the best first.
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

  /// A link that is up already comes first, then the adapter with fewer boards, then the stronger signal.
  private func rank(_ candidate: Candidate, for address: BoardAddress) -> (Int, Int, Int, String) {
    let others = boards(on: candidate.key).count { $0 != address }
    return (
      candidate.device.isConnected ? 0 : 1, others, -(candidate.device.rssi ?? -127),
      candidate.key.text
    )
  }

  func hasRoom(_ key: AdapterKey, _ now: Double) -> Bool {
    guard let state = adapters[key] else { return false }
    return now >= state.isFullUntil && boards(on: key).count < settings.slots
  }

  /// Begins the next link on each adapter that does nothing else.
  mutating func linkNext(_ now: Double) {
    for address in boards.keys.sorted() where boards[address]?.isSeeking == true {
      guard let best = candidates(for: address, now).first, !isLinking(best.key),
        adapters[best.key]?.discovery.isQuiet == true || best.device.isConnected
      else { continue }
      // What waits for others to be found keeps the discovery running, so it is not idle.
      link(address, best, now)
    }
  }

  private mutating func link(_ address: BoardAddress, _ candidate: Candidate, _ now: Double) {
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

  // MARK: Following a board

  mutating func settleBoard(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address] else { return }
    if !board.isWanted, !settleRelease(address, now) { return }
    let device = board.device.flatMap { sight.device(at: $0) }
    let isAdapterThere = board.device.flatMap { key(ofDevice: $0) }.map(isUsable) ?? false
    switch board.phase {
    case .idle:
      break
    case .seeking:
      settleSeeking(address, now)
    case .pausing(let until):
      guard now >= until else { return wake(at: until) }
      seek(address, now)
    case .connecting(let number, let since, false):
      guard isAdapterThere else { return seek(address, now) }
      let limit = since + Self.connectSeconds
      guard now >= limit, let path = board.device else { return wake(at: limit) }
      _ = begin(.disconnect(device: path))
      boards[address]?.phase = .connecting(number, since: now, isCalledOff: true)
    case .connecting:
      if !isAdapterThere { seek(address, now) }
    case .resolving(let since, let wasLinked):
      guard isAdapterThere else { return seek(address, now) }
      resolve(address, device, since: since, wasLinked: wasLinked, now)
    case .rereading(let number, let time):
      guard isAdapterThere, device?.isConnected == true else {
        return attemptFailed(address, Refusal(.linkLost, "the link went away"), now)
      }
      if number != nil { return }
      guard now >= time else { return wake(at: time) }
      let number = begin(.reread)
      boards[address]?.phase = .rereading(number, at: time)
    case .dropping(let number, let since, let next):
      if !isAdapterThere { return seek(address, now) }
      let limit = since + Self.dropSeconds
      // The answer and the word that the link is gone come in any order.
      let isOver = number == nil && device?.isConnected != true
      guard isOver || now >= limit else { return wake(at: limit) }
      dropped(address, next, now)
    case .removing:
      if !isAdapterThere { seek(address, now) }
    case .up(let since):
      guard !isAdapterThere || device?.isConnected != true else { return }
      noteEnd(address, since: since, now)
      actions.append(.down(address))
      seek(address, now)
      setOut(address, now)
    }
  }

  /// A link ended: its board is likely to be there still.
  private mutating func noteEnd(_ address: BoardAddress, since: Double, _ now: Double) {
    if now - since >= Self.stableSeconds { boards[address]?.failures = 0 }
    boards[address]?.restUntil = nil
    if now - since < Self.briefSeconds, let failures = boards[address]?.failures {
      boards[address]?.failures = failures + 1
      let pause = RetryPause.afterBriefLink(
        failures + 1, spread: spread(address, failures + 1))
      boards[address]?.restUntil = pause.map { now + $0 }
    }
    if let path = boards[address]?.device { boards[address]?.lastLink = (path, now) }
  }

  /// A board whose links end as soon as they are made is sought after a pause.
  private mutating func setOut(_ address: BoardAddress, _ now: Double) {
    let until = boards[address]?.restUntil ?? now
    boards[address]?.phase = until > now ? .pausing(until: until) : .seeking
  }

  private mutating func seek(_ address: BoardAddress, _ now: Double) {
    boards[address]?.phase = .seeking
    boards[address]?.device = nil
    boards[address]?.isStreaming = false
    boards[address]?.seekingSince = now
  }

  private mutating func settleSeeking(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address] else { return }
    tellOfRoom(address, now)
    guard let patience = board.patience else { return }
    if let obstacle {
      return fail(address, LinkFailure(kind: .obstacle(obstacle), text: ""))
    }
    // While adapters are busy with others nobody looks for this one.
    let isBusy =
      adapters.keys.contains { isLinking($0) } || !adapters.keys.contains(where: isUsable)
    if isBusy || !candidates(for: address, now).isEmpty { boards[address]?.seekingSince = now }
    let limit = (boards[address]?.seekingSince ?? now) + patience.seekSeconds
    guard now >= limit else { return wake(at: limit) }
    let isRefused = boards[address]?.isToldOfRoom == true
    fail(address, LinkFailure(kind: isRefused ? .noRoom : .notFound, text: board.lastReason))
  }

  /// Says once that every adapter has as many boards as it takes.
  private mutating func tellOfRoom(_ address: BoardAddress, _ now: Double) {
    let usable = adapters.keys.filter { isUsable($0) }
    guard !usable.isEmpty else { return }
    let isFull = usable.allSatisfy { boards(on: $0).count >= settings.slots }
    if isFull, boards[address]?.isToldOfRoom == false {
      remark(
        .warning, "no room for another board",
        [
          "board": address.description, "boards": "\(settings.slots) on each adapter",
          "remedy": "plug in another Bluetooth adapter",
        ])
    }
    boards[address]?.isToldOfRoom = isFull
  }

  /// Ends the link of a board nobody wants; `true` while it is still to be followed.
  private mutating func settleRelease(_ address: BoardAddress, _ now: Double) -> Bool {
    guard let board = boards[address] else { return false }
    let device = board.device.flatMap { sight.device(at: $0) }
    switch board.phase {
    case .dropping, .removing:
      return true
    case .connecting(let number, _, false):
      guard let path = board.device else { break }
      _ = begin(.disconnect(device: path))
      boards[address]?.phase = .connecting(number, since: now, isCalledOff: true)
      return true
    case .connecting(_, let since, true):
      // A daemon that hangs answers neither; nobody has to wait for it to leave.
      let limit = since + Self.dropSeconds
      guard now >= limit else {
        wake(at: limit)
        return true
      }
    case .resolving, .rereading, .up:
      if case .up(let since) = board.phase { noteEnd(address, since: since, now) }
      guard let path = board.device, device?.isConnected == true else { break }
      drop(address, path, .seek, now)
      return true
    case .idle:
      return false
    case .seeking, .pausing:
      break
    }
    leave(address)
    return false
  }

  private mutating func leave(_ address: BoardAddress) {
    rest(address)
    actions.append(.left(address))
  }

  /// Nobody wants it; what is known of it is kept for the next time.
  mutating func rest(_ address: BoardAddress) {
    boards[address]?.isWanted = false
    boards[address]?.phase = .idle
    boards[address]?.device = nil
    boards[address]?.isStreaming = false
  }

  private mutating func drop(
    _ address: BoardAddress, _ path: String, _ next: BoardState.Next, _ now: Double
  ) {
    let number = begin(.disconnect(device: path))
    boards[address]?.phase = .dropping(number, since: now, next)
  }

  private mutating func resolve(
    _ address: BoardAddress, _ device: Device?, since: Double, wasLinked: Bool, _ now: Double
  ) {
    guard let device else {
      return attemptFailed(address, Refusal(.linkLost, "the board went away"), now)
    }
    guard device.isConnected else {
      let limit = since + Self.linkSeconds
      if wasLinked || now >= limit {
        return attemptFailed(address, Refusal(.linkLost, "the link went away"), now)
      }
      return wake(at: limit)
    }
    boards[address]?.phase = .resolving(since: since, wasLinked: true)
    guard device.areServicesResolved else {
      let limit = since + Self.resolveSeconds
      guard now >= limit else { return wake(at: limit) }
      boards[address]?.lastReason = "services were not resolved"
      return drop(address, device.path, .fail, now)
    }
    switch device.structure {
    case .complete:
      boards[address]?.phase = .up(since: now)
      boards[address]?.unanswered = 0
      actions.append(.up(address, path: device.path))
    case .unknown, .incomplete, .foreign, .bootloader:
      boards[address]?.phase = .rereading(nil, at: now + Self.graceSeconds)
      wake(at: now + Self.graceSeconds)
    }
  }

  /// The listing of all objects did not help, unless it did.
  private mutating func judge(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address], let path = board.device else { return }
    let structure = sight.device(at: path)?.structure ?? .unknown
    switch structure {
    case .complete:
      boards[address]?.phase = .resolving(since: now, wasLinked: true)
    case .bootloader:
      giveUp(address, LinkFailure(kind: .bootloader, text: ""), now)
    case .foreign:
      giveUp(address, LinkFailure(kind: .foreign, text: ""), now)
    case .unknown, .incomplete:
      guard now - (board.removedAt ?? -.infinity) >= Self.removalSeconds else {
        return giveUp(
          address, LinkFailure(kind: .foreign, text: "its attributes are incomplete"), now)
      }
      boards[address]?.removedAt = now
      remark(
        .warning, "attributes are incomplete",
        ["board": address.description, "remedy": "bluetoothd is made to forget and read them anew"])
      drop(address, path, .remove, now)
    }
  }

  // MARK: Failures

  /// Whoever has patience is told; whoever waits for as long as it takes has the board tried again.
  private mutating func giveUp(_ address: BoardAddress, _ failure: LinkFailure, _ now: Double) {
    let path = boards[address]?.device
    if boards[address]?.patience != nil {
      actions.append(.failed(address, failure))
      boards[address]?.isWanted = false
    } else {
      remark(
        .warning, "board is of no use",
        ["board": address.description, "reason": "\(failure.kind)", "remedy": "restart the board"])
      boards[address]?.failures += 1
    }
    // A link to what is no board of ours is not ours to end when somebody else has made it.
    let isOthers = boards[address]?.isFound == true && failure.kind == .foreign
    guard let path, !isOthers, sight.device(at: path)?.isConnected == true else {
      return retry(address, now)
    }
    drop(address, path, .seek, now)
  }

  private mutating func fail(_ address: BoardAddress, _ failure: LinkFailure) {
    actions.append(.failed(address, failure))
    rest(address)
  }

  private mutating func attemptFailed(_ address: BoardAddress, _ refusal: Refusal, _ now: Double) {
    guard var board = boards[address] else { return }
    board.lastReason = refusal.text
    board.failures += 1
    boards[address] = board
    let key = board.device.flatMap { self.key(ofDevice: $0) }
    let device = board.device.flatMap { sight.device(at: $0) }
    if board.isWanted {
      remark(
        .warning, "connect failed",
        [
          "board": address.description, "attempt": "\(board.failures)", "reason": refusal.text,
          "rssi": device?.rssi.map(String.init) ?? "unknown",
          "links": "\(key.map(links(on:)) ?? 0)",
        ])
    }
    if let patience = board.patience, board.failures >= patience.attempts {
      let failure = LinkFailure(kind: .connectFailed, text: refusal.text)
      return giveUp(address, failure, now)
    }
    retry(address, now)
  }

  /// Boards linked over an adapter.
  private func links(on key: AdapterKey) -> Int {
    boards(on: key).count { boards[$0]?.isUp == true }
  }

  private mutating func retry(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address] else { return }
    let pause = RetryPause.seconds(
      after: board.failures, spread: spread(address, board.failures))
    boards[address]?.device = nil
    boards[address]?.phase = .pausing(until: now + pause)
    wake(at: now + pause)
  }

  /// Different for each board and attempt, and the same for the same ones.
  private func spread(_ address: BoardAddress, _ failures: Int) -> Double {
    let mixed = (address.value &+ UInt64(failures)) &* 0x9e37_79b9_7f4a_7c15
    return Double(mixed >> 32) / Double(UInt32.max) * 2 - 1
  }

  // MARK: How operations ended

  mutating func endedForBoard(
    _ address: BoardAddress, _ operation: Operation, _ refusal: Refusal?, _ now: Double
  ) {
    switch boards[address]?.phase {
    case .connecting(operation.number, _, let isCalledOff):
      connectEnded(address, refusal, isCalledOff: isCalledOff, now)
    case .rereading(operation.number?, _):
      judge(address, now)
    case .dropping(operation.number?, let since, let next):
      boards[address]?.phase = .dropping(nil, since: since, next)
    case .removing(operation.number):
      // Only what is heard from now on is of the new entry.
      boards[address]?.deafUntil = now
      boards[address]?.lastLink = nil
      seek(address, now)
    default:
      break
    }
  }

  private mutating func dropped(_ address: BoardAddress, _ next: BoardState.Next, _ now: Double) {
    guard let path = boards[address]?.device else { return }
    if boards[address]?.isWanted == false, next != .remove { return leave(address) }
    switch next {
    case .seek:
      boards[address]?.failures += 1
      retry(address, now)
    case .fail:
      attemptFailed(address, Refusal(.transient, boards[address]?.lastReason ?? ""), now)
    case .remove:
      let adapter = key(ofDevice: path).flatMap { adapters[$0]?.path } ?? ""
      let number = begin(.remove(device: path, adapter: adapter))
      boards[address]?.phase = .removing(number)
    }
  }

  private mutating func connectEnded(
    _ address: BoardAddress, _ refusal: Refusal?, isCalledOff: Bool, _ now: Double
  ) {
    guard let refusal else {
      boards[address]?.unanswered = 0
      boards[address]?.phase = .resolving(since: now, wasLinked: false)
      return
    }
    if isCalledOff {
      if refusal.kind == .unanswered { countUnanswered(address) }
      let reason = Refusal(.cancelled, "no answer from the board")
      return boards[address]?.isWanted == true
        ? attemptFailed(address, reason, now) : leave(address)
    }
    if refusal.kind != .unanswered { boards[address]?.unanswered = 0 }
    switch refusal.kind {
    case .alreadyDone:
      boards[address]?.phase = .resolving(since: now, wasLinked: false)
    case .underWay:
      // Somebody else asked for it: it is waited for as if we had.
      boards[address]?.phase = .resolving(
        since: now + Self.connectSeconds - Self.linkSeconds, wasLinked: false)
    case .noSlot:
      if let key = boards[address]?.device.flatMap({ self.key(ofDevice: $0) }) {
        adapters[key]?.isFullUntil = now + Self.noSlotSeconds
        remark(
          .warning, "adapter has no room for another link",
          ["adapter": key.text, "board": address.description, "reason": refusal.text])
      }
      postpone(address, refusal, now)
    case .gone:
      // It was not heard for a while, and the daemon forgot it.
      boards[address]?.deafUntil = now
      boards[address]?.lastLink = nil
      postpone(address, refusal, now)
    case .daemonLost, .off:
      // The daemon shows it a moment later; until then it would refuse again at once.
      postpone(address, refusal, now)
      if boards[address]?.isWanted == true {
        boards[address]?.phase = .pausing(until: now + Self.hearsaySeconds)
      }
    case .blocked:
      if let key = boards[address]?.device.flatMap({ self.key(ofDevice: $0) }) {
        turnOff(key, .blocked, refusedAt: now)
      }
      seek(address, now)
    case .denied:
      if let key = boards[address]?.device.flatMap({ self.key(ofDevice: $0) }) {
        turnOff(key, .denied(refusal.text), refusedAt: now)
      }
      seek(address, now)
    case .unanswered:
      suspect(address, refusal, now)
    default:
      attemptFailed(address, refusal, now)
    }
  }

  /// Nothing was wrong with the board, so the next attempt needs no pause; but whoever has patience does
  /// not wait for ever.
  private mutating func postpone(_ address: BoardAddress, _ refusal: Refusal, _ now: Double) {
    boards[address]?.lastReason = refusal.text
    if let patience = boards[address]?.patience {
      boards[address]?.failures += 1
      if boards[address]?.failures ?? 0 >= patience.attempts {
        return giveUp(address, LinkFailure(kind: .connectFailed, text: refusal.text), now)
      }
    }
    seek(address, now)
  }

  /// The daemon hangs, or the link is slow: the attempt is called off, and counted.
  private mutating func suspect(_ address: BoardAddress, _ refusal: Refusal, _ now: Double) {
    countUnanswered(address)
    boards[address]?.lastReason = refusal.text
    guard let path = boards[address]?.device else { return }
    drop(address, path, .fail, now)
  }

  private mutating func countUnanswered(_ address: BoardAddress) {
    boards[address]?.unanswered += 1
    guard boards[address]?.unanswered ?? 0 >= Self.suspicion else { return }
    remark(
      .warning, "bluetoothd does not answer",
      ["remedy": "restart it with 'sudo systemctl restart bluetooth'"])
    boards[address]?.unanswered = 0
  }
}
