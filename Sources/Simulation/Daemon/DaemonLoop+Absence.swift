internal import DBus

// bluetoothd ends and comes back; the kernel and the boards live on.
extension DaemonLoop {
  /// The daemon ends, and with it all it knows that is on no disk.
  func leave(for seconds: Double, keepsLinks: Bool) {
    guard bus != nil else { return }
    leaveBus()
    timers.forgetDaemon()
    for index in devices.indices {
      // Whoever waits is told by the bus, in which these calls end with the connection.
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

  /// It is there again, and finds what the kernel kept.
  func returnToBus() {
    guard joinBus() else { return }
    for index in devices.indices where devices[index].link == .up { adopt(index) }
  }
}
