internal import Values

extension Radio {
  /// Seconds after which an attempt at a link is called off.
  static let connectSeconds = 25.0
  /// Seconds until a finished attempt's link appears, and again until its attributes appear.
  static let linkSeconds = 2.0
  private static let resolveSeconds = 15.0
  /// Attributes may be announced after the daemon reports them complete.
  private static let graceSeconds = 0.5
  /// A link that has lasted this long counts as stable.
  private static let stableSeconds = 60.0
  /// A link that ended sooner counts as a failed attempt.
  private static let briefSeconds = 2.0
  /// Minimum seconds between two removals of a device's entry.
  private static let removalSeconds = 3_600.0
  /// Seconds after which a link counts as ended although the daemon does not confirm it.
  private static let dropSeconds = 8.0
  /// Seconds after which a released board is let go regardless of the daemon: ending a link takes
  /// two.
  private static let leaveSeconds = 4.0

  mutating func want(_ address: BoardAddress, _ patience: Patience?, _ now: Double) {
    if boards[address] == nil { boards[address] = BoardState(seekingSince: now) }
    boards[address]?.isWanted = true
    boards[address]?.releasedAt = nil
    boards[address]?.patience = patience
    boards[address]?.seekingSince = now
    // A new request starts with its own patience.
    if patience != nil {
      boards[address]?.failures = 0
      boards[address]?.restUntil = nil
    }
    if boards[address]?.phase == .idle { setOut(address, now) }
    guard let board = boards[address], board.isUp, let path = board.device else { return }
    // The link is up already: report it to the new request too.
    actions.append(.up(address, path: path))
  }

  /// Marks a board as not wanted, so that its link is ended.
  mutating func release(_ address: BoardAddress, _ now: Double) {
    boards[address]?.isWanted = false
    if boards[address]?.releasedAt == nil { boards[address]?.releasedAt = now }
  }

  mutating func renew(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address], board.isUp, let path = board.device else { return }
    drop(address, path, .remove, now)
  }

  // MARK: Following a board

  mutating func settleBoard(_ address: BoardAddress, _ now: Double) {
    if boards[address]?.isWanted == false { settleRelease(address, now) }
    // Read only here, to see the phase that the release began.
    guard let board = boards[address] else { return }
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
      // The reply and the news that the link is gone arrive in either order.
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

  /// Notes the end of a link: the board is probably still in reach.
  mutating func noteEnd(_ address: BoardAddress, since: Double, _ now: Double) {
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

  /// Starts the search for a board, after a pause if its links keep ending as soon as they are
  /// made.
  private mutating func setOut(_ address: BoardAddress, _ now: Double) {
    let until = boards[address]?.restUntil ?? now
    boards[address]?.phase = until > now ? .pausing(until: until) : .seeking
  }

  mutating func seek(_ address: BoardAddress, _ now: Double) {
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
    // Adapters that are busy with other boards do not look for this one.
    let isBusy =
      adapters.keys.contains { isLinking($0) } || !adapters.keys.contains(where: isUsable)
    if isBusy || !candidates(for: address, now).isEmpty { boards[address]?.seekingSince = now }
    let limit = (boards[address]?.seekingSince ?? now) + patience.seekSeconds
    guard now >= limit else { return wake(at: limit) }
    let isRefused = boards[address]?.isToldOfRoom == true
    fail(address, LinkFailure(kind: isRefused ? .noRoom : .notFound, text: board.lastReason))
  }

  /// Wanted boards that wait because every adapter has as many boards as it takes.
  var boardsWithoutRoom: Set<BoardAddress> {
    Set(boards.filter { $0.value.isSeeking && $0.value.isToldOfRoom }.keys)
  }

  /// Reports once that every adapter has as many boards as it takes.
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

  /// Ends the link of a released board, and lets the board go when the link is down or takes too
  /// long.
  private mutating func settleRelease(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address], board.phase != .idle else { return }
    // A hanging daemon does not answer; leaving must not depend on it.
    let limit = (board.releasedAt ?? now) + Self.leaveSeconds
    guard now < limit else { return leave(address) }
    let isConnected = board.device.flatMap { sight.device(at: $0) }?.isConnected == true
    switch board.phase {
    case .idle, .seeking, .pausing:
      return leave(address)
    case .connecting(let number, _, false):
      guard let path = board.device else { return leave(address) }
      _ = begin(.disconnect(device: path))
      boards[address]?.phase = .connecting(number, since: now, isCalledOff: true)
    case .resolving, .rereading, .up:
      if case .up(let since) = board.phase { noteEnd(address, since: since, now) }
      // The link of a successful attempt may appear a moment later.
      let isToShow = if case .resolving(_, wasLinked: false) = board.phase { true } else { false }
      guard let path = board.device, isConnected || isToShow else { return leave(address) }
      drop(address, path, .seek, now)
    case .connecting, .dropping, .removing:
      break
    }
    wake(at: limit)
  }

  mutating func leave(_ address: BoardAddress) {
    rest(address)
    actions.append(.left(address))
  }

  /// Marks a board as not wanted; its state is kept for the next time.
  mutating func rest(_ address: BoardAddress) {
    boards[address]?.isWanted = false
    boards[address]?.phase = .idle
    boards[address]?.device = nil
    boards[address]?.isStreaming = false
  }

  mutating func drop(
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

  /// Decides by the device's structure, after the listing of all objects, how to continue.
  mutating func judge(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address], let path = board.device else { return }
    let structure = sight.device(at: path)?.structure ?? .unknown
    switch structure {
    case .complete:
      boards[address]?.phase = .resolving(since: now, wasLinked: true)
    case .bootloader:
      giveUp(address, LinkFailure(kind: .bootloader, text: ""), now)
    case .foreign:
      giveUp(address, LinkFailure(kind: .foreign, text: ""), now, isNoBoard: true)
    case .unknown, .incomplete:
      guard now - (board.removedAt ?? -.infinity) >= Self.removalSeconds else {
        return giveUp(
          address, LinkFailure(kind: .foreign, text: "its attributes are incomplete"), now)
      }
      boards[address]?.removedAt = now
      remark(
        .warning, "attributes are incomplete",
        ["board": address.description, "remedy": "bluetoothd forgets them and reads them again"])
      drop(address, path, .remove, now)
    }
  }
}
