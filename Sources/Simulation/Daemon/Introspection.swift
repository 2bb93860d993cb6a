/// The simulated daemon's replies to tools that browse the bus: each interface's methods, signals
/// and properties.
enum Introspection {
  /// Returns an interface's description as XML.
  static func interface(_ name: String) -> String {
    let content = contents[name] ?? []
    if content.isEmpty { return "  <interface name=\"\(name)\"/>\n" }
    return "  <interface name=\"\(name)\">\n" + content.map { "    \($0)\n" }.joined()
      + "  </interface>\n"
  }

  private static let contents: [String: [String]] = [
    BlueZInterface.introspectable: [method("Introspect", out: "s")],
    BlueZInterface.properties: [
      method("Get", in: "s", "s", out: "v"), method("Set", in: "s", "s", "v"),
      method("GetAll", in: "s", out: "a{sv}"),
      signal("PropertiesChanged", "s", "a{sv}", "as"),
    ],
    BlueZInterface.objectManager: [
      method("GetManagedObjects", out: "a{oa{sa{sv}}}"),
      signal("InterfacesAdded", "o", "a{sa{sv}}"), signal("InterfacesRemoved", "o", "as"),
    ],
    BlueZInterface.agentManager: [
      method("RegisterAgent", in: "o", "s"), method("UnregisterAgent", in: "o"),
      method("RequestDefaultAgent", in: "o"),
    ],
    BlueZInterface.adapter: [
      method("StartDiscovery"), method("StopDiscovery"),
      method("SetDiscoveryFilter", in: "a{sv}"), method("GetDiscoveryFilters", out: "as"),
      method("RemoveDevice", in: "o"), property("Address", "s"), property("AddressType", "s"),
      property("Alias", "s"), property("Class", "u"), property("Discoverable", "b"),
      property("DiscoverableTimeout", "u"), property("Discovering", "b"),
      property("Modalias", "s"), property("Name", "s"), property("Pairable", "b"),
      property("PairableTimeout", "u"), property("PowerState", "s"),
      property("Powered", "b", access: "readwrite"),
      property("Roles", "as"), property("UUIDs", "as"),
    ],
    BlueZInterface.device: [
      method("Connect"), method("Disconnect"), method("Pair"), method("CancelPairing"),
      signal("Disconnected", "s", "s"),
      property("Adapter", "o"), property("Address", "s"), property("AddressType", "s"),
      property("Alias", "s"), property("Blocked", "b"), property("Bonded", "b"),
      property("Connected", "b"), property("LegacyPairing", "b"),
      property("ManufacturerData", "a{qv}"), property("Name", "s"),
      property("Paired", "b"), property("RSSI", "n"), property("ServicesResolved", "b"),
      property("Trusted", "b", access: "readwrite"), property("UUIDs", "as"),
    ],
    BlueZInterface.battery: [property("Percentage", "y")],
    BlueZInterface.service: [
      property("Device", "o"), property("Includes", "ao"), property("Primary", "b"),
      property("UUID", "s"),
    ],
    BlueZInterface.characteristic: [
      method("ReadValue", in: "a{sv}", out: "ay"), method("WriteValue", in: "ay", "a{sv}"),
      method("AcquireNotify", in: "a{sv}", out: "h", "q"), method("StartNotify"),
      method("StopNotify"), property("Flags", "as"), property("MTU", "q"),
      property("NotifyAcquired", "b"), property("Notifying", "b"), property("Service", "o"),
      property("UUID", "s"), property("Value", "ay"), property("WriteAcquired", "b"),
    ],
  ]

  private static func method(
    _ name: String, in taken: String..., out given: String...
  ) -> String {
    let arguments =
      taken.map { "<arg type=\"\($0)\" direction=\"in\"/>" }
      + given.map { "<arg type=\"\($0)\" direction=\"out\"/>" }
    return "<method name=\"\(name)\">\(arguments.joined())</method>"
  }

  private static func signal(_ name: String, _ types: String...) -> String {
    let arguments = types.map { "<arg type=\"\($0)\"/>" }.joined()
    return "<signal name=\"\(name)\">\(arguments)</signal>"
  }

  private static func property(
    _ name: String, _ type: String, access: String = "read"
  ) -> String {
    "<property name=\"\(name)\" type=\"\(type)\" access=\"\(access)\"/>"
  }
}
