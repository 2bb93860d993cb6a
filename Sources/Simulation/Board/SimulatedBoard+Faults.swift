import MetaWearProtocol

/// Faults put into a simulated board, and their effects.
extension SimulatedBoard {
  /// Makes a fault happen at `time`: at once if that is not in the future, else when the board has
  /// lived until then.
  ///
  /// Faults survive a lost link. A reset ends those of the board itself; what was to befall its
  /// notifications still will.
  public mutating func inject(_ fault: BoardFault, at time: Double) {
    faults.add(fault, at: time)
    takeFaults()
  }

  /// Has every fault happen that is due.
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

  /// Puts a notification on air, where faults may befall it.
  mutating func transmit(_ notification: SimulatedNotification) {
    notificationsSent += 1
    samplesSent += UInt64(notification.sampleCount)
    let passage = faults.pass(notification)
    if passage.isLost { samplesDropped += UInt64(notification.sampleCount) }
    outbox += passage.arriving
  }

  /// The link goes, and the board does what it was told to do then.
  mutating func loseLink() {
    guard isLinkUp else { return }
    dropLink()
    fire(BoardSource(module: 0x11, register: 0x0a, index: 0xff))
  }
}
