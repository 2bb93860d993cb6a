internal import DBus

// Makes bluetoothd exit and restart, while the kernel and the boards keep running.
extension DaemonLoop {
  /// Stops the daemon, which loses all state that is not on disk.
  func leave(for seconds: Double, keepsLinks: Bool) {
    guard bus != nil else { return }
    leaveBus()
    timers.forgetDaemon()
    for index in devices.indices {
      // When the daemon's connection ends, the bus itself sends errors to waiting callers.
      devices[index].calls = DeviceCalls()
      devices[index].rearmed = []
      devices[index].isStuckAcquired = false
      if devices[index].link != .up || !keepsLinks { linkEnded(index, .local) }
      devices[index].listener = .nobody
      devices[index].lastValue = nil
      devices[index].areServicesResolved = false
      devices[index].isBatteryShown = false
      devices[index].rssi = nil
      if devices[index].link == .up { devices[index].board.isNotifying = false }
      devices[index].isKnown = devices[index].isKnown && devices[index].isKept
    }
    for index in adapters.indices {
      adapters[index].discoverers = []
      adapters[index].filters = [:]
    }
    agents = DaemonAgents()
    timers.add(.daemonReturns, at: now + seconds)
  }

  /// Restarts the daemon, which finds the links that the kernel kept.
  func returnToBus() {
    guard joinBus() else { return }
    for index in devices.indices where devices[index].link == .up { adopt(index) }
  }
}
