internal import DBus

extension DaemonLoop {
  func serveAdapter(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    guard call.path == adapter.path else { throw .unknownObject(call) }
    switch call.member {
    case "SetDiscoveryFilter":
      guard call.signature == "a{sv}" else { throw .unknownMethod(call) }
      try checkFilter(call.arguments.first?.properties ?? [:])
    case "GetDiscoveryFilters":
      return [.strings(Self.filterKeys.sorted())]
    case "StartDiscovery":
      guard adapter.isPowered else { throw .notReady }
      guard adapter.discoverers.insert(call.sender).inserted else { throw .inProgress }
      if adapter.discoverers.count == 1 { adapterChanged("Discovering") }
    case "StopDiscovery":
      guard adapter.discoverers.remove(call.sender) != nil else {
        throw .failed("No discovery started")
      }
      if adapter.discoverers.isEmpty { discoveryEnded() }
    case "RemoveDevice":
      guard let path = call.arguments.first?.text,
        let index = devices.firstIndex(where: { $0.path == path && $0.isKnown })
      else { throw .doesNotExist }
      linkEnded(index)
      forget(index)
    default:
      throw .unknownMethod(call)
    }
    return []
  }

  func adapterChanged(_ name: String) {
    changed(
      BlueZInterface.adapter, of: adapter.path, adapter.properties.filter { $0.key == name })
  }

  /// Signal strengths are only known while somebody scans.
  func discoveryEnded() {
    adapterChanged("Discovering")
    for index in devices.indices where devices[index].rssi != nil {
      devices[index].rssi = nil
      if devices[index].isKnown {
        changed(BlueZInterface.device, of: devices[index].path, [:], invalidated: ["RSSI"])
      }
    }
  }

  /// An advertisement of a board was heard.
  func advertise(_ index: Int) {
    // Boards further down the list are further away, and everything fades a little.
    devices[index].rssi = -52 - 6 * index + Int.random(in: -3...3)
    devices[index].lastSeen = now
    if devices[index].isKnown {
      deviceChanged(index, "RSSI")
    } else {
      devices[index].isKnown = true
      added(
        devices[index].path, [BlueZInterface.device: devices[index].deviceProperties])
    }
  }

  /// Forgets a device nobody heard of for a while.
  func expire(_ index: Int) {
    let device = devices[index]
    guard device.isKnown, device.link == .down, !device.isTrusted, !adapter.isDiscovering,
      now - device.lastSeen > Self.expirySeconds
    else { return }
    forget(index)
  }

  private func forget(_ index: Int) {
    devices[index].isKnown = false
    devices[index].isTrusted = false
    devices[index].isPaired = false
    removed(devices[index].path, [BlueZInterface.device, BlueZInterface.properties])
  }

  private static let filterKeys: Set<String> = [
    "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
  ]

  private func checkFilter(_ filter: [String: BusValue]) throws(DaemonError) {
    guard filter.keys.allSatisfy(Self.filterKeys.contains),
      filter["RSSI"] == nil || filter["Pathloss"] == nil
    else { throw .invalidArguments }
  }
}
