internal import DBus

extension DaemonLoop {
  func setFilter(_ call: DaemonCall, on index: Int) throws(DaemonError) {
    let properties = call.arguments.first?.properties ?? [:]
    guard let filter = DiscoveryFilter(properties) else {
      let keys = properties.keys.sorted().joined(separator: ", ")
      complain("SetDiscoveryFilter on \(call.path): rejected because of the keys \(keys)")
      throw .invalidArguments
    }
    adapters[index].filters[call.sender] = properties.isEmpty ? nil : filter
  }

  func startDiscovery(_ call: DaemonCall, on index: Int) throws(DaemonError) {
    guard adapters[index].isPowered else { throw .notReady }
    guard adapters[index].wedge == nil else { throw .inProgress }
    guard adapters[index].discoverers.insert(call.sender).inserted else { throw .busy }
    if adapters[index].discoverers.count == 1 { adapterChanged(index, "Discovering") }
  }

  func stopDiscovery(_ call: DaemonCall, on index: Int) throws(DaemonError) {
    guard adapters[index].isPowered else { throw .notReady }
    if adapters[index].wedge == .stop { adapters[index].wedge = nil }
    guard adapters[index].discoverers.contains(call.sender) else {
      throw .failed("No discovery started")
    }
    stopDiscovery(of: call.sender, on: index)
  }

  /// Ends a client's discovery session, if it has one.
  func stopDiscovery(of client: String, on index: Int) {
    guard adapters[index].discoverers.remove(client) != nil,
      adapters[index].discoverers.isEmpty
    else { return }
    discoveryEnded(index)
  }

  /// Removes the devices' signal strengths, which are known only during discovery.
  func discoveryEnded(_ adapter: Int) {
    adapterChanged(adapter, "Discovering")
    for index in devices(of: adapter) where devices[index].rssi != nil {
      devices[index].rssi = nil
      if devices[index].isKnown {
        changed(BlueZInterface.device, of: devices[index].path, [:], invalidated: ["RSSI"])
      }
    }
  }

  /// Receives a board's advertisement, if the board sends one and the adapter is scanning or waits
  /// to connect.
  func advertise(_ index: Int) {
    let device = devices[index]
    let adapter = adapters[device.adapter]
    guard bus != nil, adapter.isPowered, now >= faults.silentUntil,
      device.peripheral.isAdvertising(at: now)
    else { return }
    if device.awaitsBoard {
      devices[index].awaitsBoard = false
      after(Self.linkSeconds, .up, index)
    }
    guard adapter.isDiscovering else { return }
    // Boards later in the list have weaker signals, and all signals vary slightly.
    let distance = 6 * (index % peripherals.count) + 4 * device.adapter
    devices[index].rssi = -52 - distance + Int.random(in: -3...3, using: &random)
    guard adapter.isWanted(devices[index]) else {
      devices[index].rssi = device.rssi
      return
    }
    devices[index].lastSeen = now
    if device.isKnown {
      deviceChanged(index, "RSSI")
    } else {
      devices[index].isKnown = true
      added(device.path, [BlueZInterface.device: devices[index].deviceProperties])
    }
  }

  /// Removes a device that has not advertised recently.
  func expire(_ index: Int) {
    guard mayExpire(index), now >= devices[index].lastSeen + settings.expirySeconds else { return }
    forget(index)
  }

  /// Returns whether the daemon removes this device if the device does not advertise for some time.
  func mayExpire(_ index: Int) -> Bool {
    let device = devices[index]
    return bus != nil && device.isKnown && !device.isKept && adapters[device.adapter].isPresent
  }
}
