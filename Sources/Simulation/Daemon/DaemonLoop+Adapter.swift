internal import DBus

extension DaemonLoop {
  /// Returns the index of the adapter at a path, if it is plugged in.
  func adapter(at path: String) -> Int? {
    adapters.firstIndex { $0.isPresent && $0.path == path }
  }

  func serveAdapter(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    guard let index = adapter(at: call.path) else { throw .unknownObject(call) }
    switch (call.member, call.signature) {
    case ("SetDiscoveryFilter", "a{sv}"): try setFilter(call, on: index)
    case ("GetDiscoveryFilters", ""): return [.strings(DiscoveryFilter.keys.sorted())]
    case ("StartDiscovery", ""): try startDiscovery(call, on: index)
    case ("StopDiscovery", ""): try stopDiscovery(call, on: index)
    case ("RemoveDevice", "o"): return try removeDevice(call, of: index)
    default: throw .unknownMethod(call)
    }
    return []
  }

  private func removeDevice(_ call: DaemonCall, of adapter: Int) throws(DaemonError) -> [BusValue]?
  {
    guard adapters[adapter].isPowered else { throw .notReady }
    let path = call.arguments.first?.text
    guard let index = devices(of: adapter).first(where: { devices[$0].path == path }),
      devices[index].isKnown
    else { throw .doesNotExist }
    if let seconds = faults.crashSeconds {
      faults.crashSeconds = nil
      leave(for: seconds, keepsLinks: false)
      return nil
    }
    linkEnded(index, .local)
    forget(index)
    return []
  }

  /// Removes a device and all its state from the bus.
  func forget(_ index: Int) {
    devices[index].isKnown = false
    devices[index].isTrusted = false
    devices[index].isPaired = false
    devices[index].rssi = nil
    devices[index].rearmed = []
    devices[index].isStuckAcquired = false
    if devices[index].missingObjects == .untilRemoved {
      devices[index].missingObjects = .times(0)
    }
    removed(devices[index].path, [BlueZInterface.device, BlueZInterface.properties])
  }

  /// Switches the radio on or off, or blocks it.
  func setPower(_ power: SimulatedAdapter.Power, of index: Int) {
    guard adapters[index].power != power else { return }
    let wasDiscovering = adapters[index].isDiscovering
    adapters[index].power = power
    if power != .on {
      for device in devices(of: index) { linkEnded(device, .local) }
      adapters[index].discoverers.removeAll()
      adapters[index].wedge = nil
      if adapters[index].confusion == .powerCycle { adapters[index].confusion = nil }
      if wasDiscovering { discoveryEnded(index) }
    }
    adapterChanged(index, "Powered", "PowerState")
  }

  /// Unplugs the adapter, which removes all its devices.
  func unplug(_ index: Int) {
    guard adapters[index].isPresent else { return }
    for device in devices(of: index) {
      linkEnded(device, .local)
      // Remembered devices are read from disk when the adapter returns.
      if devices[device].isKnown {
        devices[device].rssi = nil
        removed(devices[device].path, [BlueZInterface.device, BlueZInterface.properties])
      }
    }
    adapters[index].discoverers.removeAll()
    adapters[index].filters.removeAll()
    adapters[index].wedge = nil
    adapters[index].confusion = nil
    adapters[index].isPresent = false
    removed(adapters[index].path, [BlueZInterface.adapter, BlueZInterface.properties])
  }

  /// Plugs the adapter in again. Its number, as in `hci0`, increases by `shift`, or by more if the
  /// resulting number is taken.
  func plugIn(_ index: Int, shift: Int) {
    guard !adapters[index].isPresent else { return }
    let taken = Set(adapters.filter(\.isPresent).map(\.number))
    var number = max(0, adapters[index].number + shift)
    while taken.contains(number) { number += 1 }
    adapters[index].number = number
    adapters[index].isPresent = true
    // Debian sets AutoEnable=true.
    if adapters[index].power == .off { adapters[index].power = .on }
    let path = adapters[index].path
    added(path, [BlueZInterface.adapter: adapters[index].properties])
    for device in devices(of: index) {
      devices[device].adapterPath = path
      guard devices[device].isKnown else { continue }
      if devices[device].isKept {
        added(devices[device].path, [BlueZInterface.device: devices[device].deviceProperties])
      } else {
        devices[device].isKnown = false
      }
    }
  }
}
