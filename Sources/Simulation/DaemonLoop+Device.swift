internal import DBus

extension DaemonLoop {
  /// Seconds until the link is up, and from there until the services are resolved.
  private static let linkSeconds = 0.12
  private static let resolveSeconds = 0.25
  /// The real daemon waits this long before it lets go of a link.
  private static let graceSeconds = 2.0

  func serveDevice(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    guard let index = devices.firstIndex(where: { $0.path == call.path && $0.isKnown }) else {
      throw .unknownObject(call)
    }
    switch call.member {
    case "Connect": return try connect(index, call)
    case "Disconnect": return try disconnect(index, call)
    case "Pair":
      guard !devices[index].isPaired else { throw .alreadyExists }
      guard devices[index].link == .up else { throw .failed("Not connected") }
      devices[index].isPaired = true
      deviceChanged(index, "Paired", "Bonded")
      return []
    case "CancelPairing":
      throw .doesNotExist
    default:
      throw .unknownMethod(call)
    }
  }

  private func connect(_ index: Int, _ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    guard adapter.isPowered else { throw .notReady }
    switch devices[index].link {
    case .up: return []
    case .connecting: throw .failed("Operation already in progress")
    case .disconnecting:
      throw DaemonError(
        name: "org.bluez.Error.NotConnected", message: "Not Connected")
    case .down: break
    }
    guard devices[index].board.isAdvertising(at: now) else {
      throw .failed("le-connection-abort-by-local")
    }
    devices[index].link = .connecting
    let generation = devices[index].generation
    timers.add(.linkUp(device: index, generation: generation, call), at: now + Self.linkSeconds)
    return nil
  }

  private func disconnect(_ index: Int, _ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    switch devices[index].link {
    case .down, .disconnecting:
      throw DaemonError(name: "org.bluez.Error.NotConnected", message: "Not Connected")
    case .connecting:
      // Gives the attempt up; its call is answered with br-connection-canceled.
      devices[index].link = .down
      return []
    case .up:
      devices[index].link = .disconnecting
      let generation = devices[index].generation
      timers.add(
        .disconnect(device: index, generation: generation, call), at: now + Self.graceSeconds)
      return nil
    }
  }

  func perform(_ action: DaemonTimers.Action) {
    switch action {
    case .linkUp(let index, let generation, let call):
      guard devices[index].generation == generation else {
        call.refuse(.failed("br-connection-canceled"), on: connection)
        return
      }
      devices[index].link = .up
      // Nothing is notified before somebody asks for it.
      devices[index].board.isNotifying = false
      devices[index].board.linkUp()
      devices[index].rssi = nil
      changed(
        BlueZInterface.device, of: devices[index].path, ["Connected": .boolean(true)],
        invalidated: ["RSSI"])
      timers.add(
        .resolve(device: index, generation: devices[index].generation, call),
        at: now + Self.resolveSeconds)
    case .resolve(let index, let generation, let call):
      guard devices[index].generation == generation else {
        call.refuse(.failed("br-connection-canceled"), on: connection)
        return
      }
      devices[index].areServicesResolved = true
      for attribute in devices[index].attributes {
        added(attribute.path, [attribute.interface: attribute.properties])
      }
      deviceChanged(index, "ServicesResolved", "UUIDs")
      call.answer(on: connection)
    case .disconnect(let index, let generation, let call):
      // The link may have gone by itself meanwhile, and even come again.
      if devices[index].generation == generation { linkEnded(index) }
      call.answer(on: connection)
    }
  }

  /// The link is gone: the notify socket hangs up, the objects go, then the device says so.
  func linkEnded(_ index: Int) {
    guard devices[index].link != .down else { return }
    devices[index].listener = .nobody
    devices[index].lastValue = nil
    let attributes = devices[index].attributes
    devices[index].areServicesResolved = false
    devices[index].link = .down
    devices[index].lastSeen = now
    devices[index].board.linkDown(at: now)
    for attribute in attributes.reversed() { removed(attribute.path, [attribute.interface]) }
    deviceChanged(index, "ServicesResolved", "Connected")
  }
}
