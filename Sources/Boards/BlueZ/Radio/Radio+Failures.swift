internal import Values

/// Handles failed attempts and finished operations.
extension Radio {
  private static let noSlotSeconds = 4.0
  /// Number of consecutive calls without a reply after which the radio assumes that the daemon has
  /// hung.
  private static let suspicion = 3
  /// Maximum time, in seconds, between the daemon's refusal of an attempt and its report of the
  /// state that caused the refusal.
  private static let hearsaySeconds = 0.5

  /// Reports the failure to the caller if the caller set a limit on the wait (`Patience`).
  /// Otherwise, tries the board again.
  ///
  /// - Parameter isNoBoard: Whether the device at this address was found not to be a board. Other
  ///   programs may have links to such a device, which the radio must not close.
  mutating func giveUp(
    _ address: BoardAddress, _ failure: LinkFailure, _ now: Double, isNoBoard: Bool = false
  ) {
    let path = boards[address]?.device
    if boards[address]?.patience != nil {
      actions.append(.failed(address, failure))
      release(address, now)
    } else {
      remark(
        .warning, "board unusable",
        ["board": address.description, "reason": "\(failure.kind)", "remedy": "restart the board"])
      boards[address]?.failures += 1
    }
    let isOthers = isNoBoard && boards[address]?.isFound == true
    guard let path, !isOthers, sight.device(at: path)?.isConnected == true else {
      return retry(address, now)
    }
    drop(address, path, .seek, now)
  }

  mutating func fail(_ address: BoardAddress, _ failure: LinkFailure) {
    actions.append(.failed(address, failure))
    rest(address)
  }

  mutating func attemptFailed(_ address: BoardAddress, _ refusal: Refusal, _ now: Double) {
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

  func links(on key: AdapterKey) -> Int {
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

  /// Returns a value from −1 to 1 that differs between boards and attempts but is always the same
  /// for the same board and attempt.
  func spread(_ address: BoardAddress, _ failures: Int) -> Double {
    let mixed = (address.value &+ UInt64(failures)) &* 0x9e37_79b9_7f4a_7c15
    return Double(mixed >> 32) / Double(UInt32.max) * 2 - 1
  }

  // MARK: Ends of operations

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
      // Advertisements received before the removal belong to the old device object, so only later
      // ones are used.
      boards[address]?.deafUntil = now
      boards[address]?.lastLink = nil
      seek(address, now)
    default:
      break
    }
  }

  mutating func dropped(_ address: BoardAddress, _ next: BoardState.Next, _ now: Double) {
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
      let reason = Refusal(.cancelled, "no response from the board")
      return boards[address]?.isWanted == true
        ? attemptFailed(address, reason, now) : leave(address)
    }
    if refusal.kind != .unanswered { boards[address]?.unanswered = 0 }
    switch refusal.kind {
    case .alreadyDone:
      boards[address]?.phase = .resolving(since: now, wasLinked: false)
    case .underWay:
      // Another client requested the link. Wait for that link as if the radio had requested it.
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
      // The device has not advertised for a while, so the daemon has forgotten it.
      boards[address]?.deafUntil = now
      boards[address]?.lastLink = nil
      postpone(address, refusal, now)
    case .daemonLost, .off:
      // The daemon's objects will soon show that the daemon has exited or the adapter is off. Until
      // then, every attempt would be refused.
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

  /// The board did not cause the refusal, so no pause is needed before the next attempt. If the
  /// caller has limited patience, the attempt still counts. Otherwise, the caller might wait
  /// forever.
  private mutating func postpone(_ address: BoardAddress, _ refusal: Refusal, _ now: Double) {
    boards[address]?.lastReason = refusal.text
    // Every logged attempt must be followed by a log entry that reports its outcome.
    remark(
      .detail, "connect postponed", ["board": address.description, "reason": refusal.text])
    if let patience = boards[address]?.patience {
      boards[address]?.failures += 1
      if boards[address]?.failures ?? 0 >= patience.attempts {
        return giveUp(address, LinkFailure(kind: .connectFailed, text: refusal.text), now)
      }
    }
    seek(address, now)
  }

  /// Cancels an attempt and counts it as failed, because either the daemon has hung or the link is
  /// slow.
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
      .warning, "bluetoothd does not respond",
      ["remedy": "restart it with 'sudo systemctl restart bluetooth'"])
    boards[address]?.unanswered = 0
  }
}
