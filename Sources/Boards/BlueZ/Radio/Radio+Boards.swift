internal import Values

extension Radio {
  /// Seconds after which a connection attempt is cancelled.
  static let connectSeconds = 25.0
  /// Seconds that the link may take to appear after a connection attempt has finished.
  static let linkSeconds = 2.0
  private static let resolveSeconds = 15.0
  /// Seconds during which the daemon may announce further attributes after reporting them as
  /// complete.
  private static let graceSeconds = 0.5
  private static let stableSeconds = 60.0
  /// A link that drops within this many seconds is treated as a failed attempt.
  private static let briefSeconds = 2.0
  /// Minimum time, in seconds, between removals of the same device object.
  private static let removalSeconds = 3_600.0
  /// Seconds after which a link is considered closed even if the daemon does not confirm it.
  private static let dropSeconds = 8.0
  /// Seconds after which the radio stops waiting for a released board's link to close. Closing a
  /// link normally takes two seconds.
  private static let leaveSeconds = 4.0

  mutating func want(_ address: BoardAddress, _ patience: Patience?, _ now: Double) {
    if boards[address] == nil { boards[address] = BoardState(seekingSince: now) }
    boards[address]?.isWanted = true
    boards[address]?.releasedAt = nil
    boards[address]?.patience = patience
    boards[address]?.seekingSince = now
    // A new request with limited patience gets its full number of attempts, and does not wait for a
    // pause to end.
    if patience != nil {
      boards[address]?.failures = 0
      boards[address]?.restUntil = nil
    }
    if boards[address]?.phase == .idle { setOut(address, now) }
    guard let board = boards[address], board.isUp, let path = board.device else { return }
    // The link is already up, so it must be reported to the caller that made this request.
    actions.append(.up(address, path: path))
  }

  /// Marks a board as no longer wanted, so that its link is closed.
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
    // The release may have changed the board's phase, so the phase is read only now.
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
        return attemptFailed(address, Refusal(.linkLost, "the link dropped"), now)
      }
      if number != nil { return }
      guard now >= time else { return wake(at: time) }
      let number = begin(.reread)
      boards[address]?.phase = .rereading(number, at: time)
    case .dropping(let number, let since, let next):
      if !isAdapterThere { return seek(address, now) }
      let limit = since + Self.dropSeconds
      // The reply to the disconnect call and the signal that the link is down may arrive in either
      // order.
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

  /// Records when a link ended. The board is probably still in range, so it can be connected
  /// without a scan for a short time.
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

  /// Starts the search for a board. If the board's links keep dropping right after they are
  /// established, pauses first.
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
    // Adapters that are busy with other boards do not search for this board.
    let isBusy =
      adapters.keys.contains { isLinking($0) } || !adapters.keys.contains(where: isUsable)
    if isBusy || !candidates(for: address, now).isEmpty { boards[address]?.seekingSince = now }
    let limit = (boards[address]?.seekingSince ?? now) + patience.seekSeconds
    guard now >= limit else { return wake(at: limit) }
    let isRefused = boards[address]?.isToldOfRoom == true
    fail(address, LinkFailure(kind: isRefused ? .noRoom : .notFound, text: board.lastReason))
  }

  /// Boards that need a link but are waiting because every adapter is full.
  var boardsWithoutRoom: Set<BoardAddress> {
    Set(boards.filter { $0.value.isSeeking && $0.value.isToldOfRoom }.keys)
  }

  /// Reports, once for each board, that the board must wait because every adapter is full.
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

  /// Closes a released board's link. Reports the board as released when its link is down, or when
  /// closing takes too long.
  private mutating func settleRelease(_ address: BoardAddress, _ now: Double) {
    guard let board = boards[address], board.phase != .idle else { return }
    // An unresponsive daemon does not reply, so shutting down must not depend on a reply.
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
      // After a successful connection attempt, the link may take a moment to appear.
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

  /// Marks a board as not wanted. Data about earlier attempts is retained for the next request.
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
      return attemptFailed(address, Refusal(.linkLost, "the board disappeared"), now)
    }
    guard device.isConnected else {
      let limit = since + Self.linkSeconds
      if wasLinked || now >= limit {
        return attemptFailed(address, Refusal(.linkLost, "the link was lost"), now)
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

  /// Decides the next step for a board after all objects have been listed, based on the device's
  /// attributes.
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
        ["board": address.description, "remedy": "bluetoothd discards them and reads them again"])
      drop(address, path, .remove, now)
    }
  }
}
