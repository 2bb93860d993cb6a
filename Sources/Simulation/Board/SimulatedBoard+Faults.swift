import MetaWearProtocol

/// Injects faults into a simulated board and applies their effects.
extension SimulatedBoard {
  /// Schedules a fault for `time`, or starts it immediately if `time` is not in the future.
  ///
  /// Faults persist when the link is lost. Resetting the board clears faults in the board itself,
  /// but not faults that affect its notifications.
  public mutating func inject(_ fault: BoardFault, at time: Double) {
    faults.add(fault, at: time)
    takeFaults()
  }

  /// Starts every fault that is due.
  mutating func takeFaults() {
    while let fault = faults.takeDue(now) {
      switch fault {
      case .disconnect: loseLink()
      case .reboot: reset(.power)
      default: faults.begin(fault, at: now, battery)
      }
    }
    while let lowered = faults.lowered(battery, at: now) {
      battery = lowered
      if lowered.percent == 0 { die() }
    }
    outbox += faults.release(at: now)
  }

  /// Sends a notification, unless an injected fault drops, delays or changes it.
  mutating func transmit(_ notification: SimulatedNotification) {
    notificationsSent += 1
    samplesSent += UInt64(notification.sampleCount)
    let passage = faults.pass(notification)
    if passage.isLost { samplesDropped += UInt64(notification.sampleCount) }
    outbox += passage.arriving
  }

  /// Drops the link, and triggers the board's disconnect events.
  mutating func loseLink() {
    guard isLinkUp else { return }
    dropLink()
    fire(BoardSource(module: 0x11, register: 0x0a, index: 0xff))
  }
}
