internal import DBus

// Sends the daemon's signals.
extension DaemonLoop {
  func signal(_ member: String, from path: String, of interface: String, _ values: [BusValue]) {
    send(Message(BusSignal(member, from: path, of: interface, values)))
  }

  func changed(
    _ interface: String, of path: String, _ changed: [String: BusValue],
    invalidated: [String] = []
  ) {
    signal(
      "PropertiesChanged", from: path, of: BlueZInterface.properties,
      [.string(interface), .properties(changed), .strings(invalidated)])
  }

  func adapterChanged(_ index: Int, _ names: String...) {
    let adapter = adapters[index]
    changed(
      BlueZInterface.adapter, of: adapter.path,
      adapter.properties.filter { names.contains($0.key) })
  }

  func deviceChanged(_ index: Int, _ names: String...) {
    let properties = devices[index].deviceProperties
    changed(
      BlueZInterface.device, of: devices[index].path, properties.filter { names.contains($0.key) })
  }

  func added(_ path: String, _ interfaces: [String: [String: BusValue]]) {
    signal(
      "InterfacesAdded", from: "/", of: BlueZInterface.objectManager,
      [.objectPath(path), Self.interfaces(interfaces)])
  }

  func removed(_ path: String, _ interfaces: [String]) {
    signal(
      "InterfacesRemoved", from: "/", of: BlueZInterface.objectManager,
      [.objectPath(path), .strings(interfaces)])
  }

  /// Encodes interfaces and their properties as a D-Bus value of type `a{sa{sv}}`.
  static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.sorted { $0.key < $1.key }
        .map { BusValue.Entry(key: .string($0.key), value: .properties($0.value)) })
  }
}
