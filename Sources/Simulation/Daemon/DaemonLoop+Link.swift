internal import DBus
internal import MetaWearProtocol

/// The reason why a link ended, as newer daemons report it.
enum DisconnectReason: String {
  case timeout = "org.bluez.Reason.Timeout"
  case local = "org.bluez.Reason.Local"
  case remote = "org.bluez.Reason.Remote"

  var text: String {
    switch self {
    case .timeout: "Connection timeout"
    case .local: "Connection terminated by local host"
    case .remote: "Connection terminated by remote user"
    }
  }
}

// Implements a link's life cycle, from the first connection attempt to its end.
extension DaemonLoop {
  /// Seconds to establish a link. The next two constants are the durations of the steps that
  /// follow: resolving the services and reading the battery level.
  static let linkSeconds = 0.12
  private static let resolveSeconds = 0.25
  private static let batterySeconds = 0.03

  /// The position of the daemon's reply to `Connect` among the signals. Clients must not rely on
  /// it.
  private enum ReplyPlace: Int, CaseIterable {
    case behindConnected
    case amongObjects
    case behindResolved
  }

  private var replyPlace: ReplyPlace {
    ReplyPlace(rawValue: linkCount % ReplyPlace.allCases.count) ?? .behindResolved
  }

  func perform(_ action: DaemonTimers.LinkAction, _ index: Int) {
    switch action {
    case .up where devices[index].link == .connecting: linkUp(index)
    case .fail(let error) where devices[index].link == .connecting:
      let call = devices[index].calls.connect
      devices[index].calls.connect = nil
      linkEnded(index, .timeout)
      refuse(call, error)
    case .up, .fail: break
    case .resolve: resolve(index)
    case .showObjects: showObjects(index)
    case .showBattery: showBattery(index)
    case .disconnect: linkEnded(index, .local)
    case .pair: finishPairing(index)
    case .finish(let call, let operation): finish(call, operation, index)
    }
  }

  private func linkUp(_ index: Int) {
    let peripheral = devices[index].peripheral
    guard peripheral.isAdvertising(at: now) else {
      // Another adapter or another central has connected to the board first.
      devices[index].awaitsBoard = true
      return
    }
    linkCount += 1
    devices[index].link = .up
    peripheral.linkedDevice = index
    // A board sends notifications only after a subscription.
    peripheral.board.isNotifying = false
    peripheral.board.linkUp()
    deviceChanged(index, "Connected")
    if replyPlace == .behindConnected { answerConnect(index) }
    after(Self.resolveSeconds, .resolve, index)
    if devices[index].calls.pair != nil { after(settings.pairingSeconds, .pair, index) }
  }

  /// Takes over a link that another client established, or that stayed up after the daemon exited.
  func adopt(_ index: Int) {
    let peripheral = devices[index].peripheral
    devices[index].isKnown = true
    if devices[index].link == .down {
      devices[index].link = .up
      peripheral.linkedDevice = index
      peripheral.board.isNotifying = false
      peripheral.board.linkUp()
    }
    after(Self.resolveSeconds, .resolve, index)
  }

  private func answerConnect(_ index: Int) {
    answer(devices[index].calls.connect)
    devices[index].calls.connect = nil
  }

  private func resolve(_ index: Int) {
    devices[index].areServicesResolved = true
    switch devices[index].missingObjects {
    case .untilRemoved:
      devices[index].areObjectsShown = false
    case .times(let count):
      devices[index].areObjectsShown = count == 0 && faults.objectDelay == 0
      if count > 0 {
        devices[index].missingObjects = .times(count - 1)
      } else if faults.objectDelay > 0 {
        after(faults.objectDelay, .showObjects, index)
      }
    }
    tellObjects(index)
    deviceChanged(index, "ServicesResolved", "UUIDs")
    answerConnect(index)
    if devices[index].areObjectsShown { rearm(index) }
    if devices[index].table.hasBattery { after(Self.batterySeconds, .showBattery, index) }
  }

  private func showObjects(_ index: Int) {
    devices[index].areObjectsShown = true
    tellObjects(index)
    rearm(index)
  }

  private func tellObjects(_ index: Int) {
    let attributes = devices[index].attributes
    for (place, attribute) in attributes.enumerated() {
      added(attribute.path, [attribute.interface: attribute.properties])
      if place == attributes.count / 2, replyPlace == .amongObjects { answerConnect(index) }
    }
  }

  private func showBattery(_ index: Int) {
    guard !devices[index].isBatteryShown else { return }
    devices[index].isBatteryShown = true
    devices[index].batteryPercent = devices[index].board.battery.percent
    if let battery = devices[index].battery {
      added(devices[index].path, [BlueZInterface.battery: battery])
    }
  }

  /// Reports the battery level if it has changed since the last report.
  func tellBattery(_ index: Int) {
    let percent = devices[index].board.battery.percent
    guard devices[index].isBatteryShown, devices[index].batteryPercent != percent else { return }
    devices[index].batteryPercent = percent
    changed(BlueZInterface.battery, of: devices[index].path, devices[index].battery ?? [:])
  }

  /// Ends the link or the connection attempt. Closes the notify socket, fails waiting calls,
  /// removes the objects, signals the device's change, and then answers calls to `Disconnect`.
  func linkEnded(_ index: Int, _ reason: DisconnectReason) {
    guard devices[index].link != .down else { return }
    let wasUp = devices[index].isConnected
    let calls = devices[index].calls
    let attributes = devices[index].attributes
    let hadBattery = devices[index].isBatteryShown
    devices[index].calls = DeviceCalls()
    devices[index].link = .down
    devices[index].awaitsBoard = false
    devices[index].listener = .nobody
    devices[index].lastValue = nil
    devices[index].areServicesResolved = false
    devices[index].isBatteryShown = false
    devices[index].isComplainedOf = false
    devices[index].lastSeen = now
    if wasUp { devices[index].lastLinked = now }
    refuse(calls.connect, .connectCanceled)
    refuse(calls.pair, .authenticationFailed)
    refuse(calls.request, .linkLost)
    for call in calls.subscriptions { refuse(call, .linkLost) }
    if wasUp {
      devices[index].peripheral.linkedDevice = nil
      devices[index].board.linkDown(at: now)
      // The device itself remains: only the interfaces and objects that depend on the link are
      // removed.
      if hadBattery { removed(devices[index].path, [BlueZInterface.battery]) }
      for attribute in attributes.reversed() { removed(attribute.path, [attribute.interface]) }
      deviceChanged(index, "ServicesResolved", "Connected")
      if settings.version.tellsWhyLinksEnd {
        signal(
          "Disconnected", from: devices[index].path, of: BlueZInterface.device,
          [.string(reason.rawValue), .string(reason.text)])
      }
    }
    for call in calls.disconnects { answer(call) }
  }
}
