internal import DBus

extension DaemonLoop {
  /// The unique name of a simulated client that has no connection to the bus.
  private static let foreigner = ":0.0"

  func begin(_ scheduled: ScheduledDaemonFault) {
    switch scheduled.fault {
    case .noReply(let member, let count): faults.add(count, unansweredCallsOf: member)
    case .connectAborts(let count): faults.connectAborts += count
    case .lateObjects(let seconds): faults.objectDelay = seconds
    case .slowStopNotify(let seconds): faults.stopNotifyDelay = seconds
    case .slowDisconnect(let seconds): faults.disconnectDelay = seconds
    case .earlyNotifications(let seconds): faults.earlySeconds = seconds
    case .noAdvertisements(let seconds): faults.silentUntil = now + seconds
    case .accessDenied(let member): faults.deny(member)
    case .crashAtRemoveDevice(let seconds): faults.crashSeconds = seconds
    case .daemonGone(let seconds, let keepsLinks): leave(for: seconds, keepsLinks: keepsLinks)
    case .adapterOff, .adapterOn, .adapterBlocked, .adapterUnblocked, .adapterRemoved,
      .adapterReturned, .wedgedDiscovery, .confusedAdapter, .foreignDiscovery:
      guard adapters.indices.contains(scheduled.adapter) else { return }
      begin(scheduled.fault, onAdapter: scheduled.adapter)
    case .missingObjects, .emptyNotification, .heldByAnotherCentral, .bootloader, .demandsBonding,
      .foreignNotify, .foreignLink:
      for board in peripherals.indices
      where !peripherals[board].isStranger && board == scheduled.board ?? board {
        begin(scheduled.fault, onBoard: board, adapter: scheduled.adapter)
      }
    }
  }

  private func begin(_ fault: DaemonFault, onAdapter index: Int) {
    switch fault {
    case .adapterOff: if adapters[index].power == .on { setPower(.off, of: index) }
    case .adapterOn: if adapters[index].power == .off { setPower(.on, of: index) }
    case .adapterBlocked:
      adapters[index].isOnWhenFree = adapters[index].power == .on
      setPower(.blocked, of: index)
    case .adapterUnblocked:
      guard adapters[index].power == .blocked else { break }
      setPower(adapters[index].isOnWhenFree ? .on : .off, of: index)
    case .adapterRemoved: unplug(index)
    case .adapterReturned(let shift): plugIn(index, shift: shift)
    case .wedgedDiscovery(let cure): adapters[index].wedge = cure
    case .confusedAdapter(let cure):
      adapters[index].confusion = cure
      for device in devices(of: index) { linkEnded(device, .timeout) }
    case .foreignDiscovery:
      adapters[index].discoverers.insert(Self.foreigner)
      adapterChanged(index, "Discovering")
    default: break
    }
  }

  /// Adds a known device, as if the daemon had already stored it and marked it as trusted.
  private func know(_ index: Int) {
    guard devices.indices.contains(index), !devices[index].isKnown else { return }
    devices[index].isKnown = true
    devices[index].isTrusted = true
    added(devices[index].path, [BlueZInterface.device: devices[index].deviceProperties])
  }

  private func begin(_ fault: DaemonFault, onBoard board: Int, adapter: Int) {
    let peripheral = peripherals[board]
    switch fault {
    case .missingObjects(let times):
      for index in devices.indices where devices[index].peripheral === peripheral {
        devices[index].missingObjects = times.map { .times($0) } ?? .untilRemoved
      }
    case .emptyNotification:
      if let device = peripheral.linkedDevice { deliver([], from: device) }
    case .heldByAnotherCentral(let seconds):
      if let device = peripheral.linkedDevice { linkEnded(device, .remote) }
      peripheral.heldUntil = now + seconds
      know(adapter * peripherals.count + board)
    case .bootloader:
      advance(board)
      peripheral.board.reset(.power, into: .bootloader)
      advance(board)
    case .demandsBonding:
      peripheral.demandsBonding = true
    case .foreignNotify:
      peripheral.isAcquiredByOther = true
      guard let device = peripheral.linkedDevice, case .nobody = devices[device].listener else {
        return
      }
      listen(device, false)
    case .foreignLink:
      let index = adapter * peripherals.count + board
      guard devices.indices.contains(index), peripheral.linkedDevice == nil else { return }
      adopt(index)
      added(devices[index].path, [BlueZInterface.device: devices[index].deviceProperties])
    default: break
    }
  }
}
