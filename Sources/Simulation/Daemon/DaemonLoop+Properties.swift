internal import DBus

extension DaemonLoop {
  /// All objects currently on the bus: path → interface → properties.
  private var objects: [(path: String, interfaces: [String: [String: BusValue]])] {
    var objects = [("/org/bluez", [BlueZInterface.agentManager: [String: BusValue]()])]
    for adapter in adapters where adapter.isPresent {
      objects.append((adapter.path, [BlueZInterface.adapter: adapter.properties]))
    }
    for device in devices where device.isKnown && adapters[device.adapter].isPresent {
      var interfaces = [BlueZInterface.device: device.deviceProperties]
      interfaces[BlueZInterface.battery] = device.battery
      objects.append((device.path, interfaces))
      for attribute in device.attributes {
        objects.append((attribute.path, [attribute.interface: attribute.properties]))
      }
    }
    return objects
  }

  /// The reply to `GetManagedObjects`.
  var managedObjects: BusValue {
    .dictionary(
      key: "o", value: "a{sa{sv}}",
      objects.map { object in
        BusValue.Entry(
          key: .objectPath(object.path), value: Self.interfaces(object.interfaces))
      })
  }

  func serveProperties(_ call: DaemonCall) throws(DaemonError) -> [BusValue] {
    // The root object's interfaces have no properties.
    let root = (path: "/", interfaces: [BlueZInterface.objectManager: [String: BusValue]()])
    guard let object = (objects + [root]).first(where: { $0.path == call.path }) else {
      throw .unknownObject(call)
    }
    guard let interface = call.arguments.first?.text,
      let properties = object.interfaces[interface]
    else { throw .invalidArguments }
    switch (call.member, call.arguments.count) {
    case ("GetAll", 1):
      return [.properties(properties)]
    case ("Get", 2):
      guard let value = call.arguments[1].text.flatMap({ properties[$0] }) else {
        throw .invalidArguments
      }
      return [.variant(value)]
    case ("Set", 3):
      try set(call.arguments[1].text ?? "", to: call.arguments[2], of: interface, at: call.path)
      return []
    default:
      throw .unknownMethod(call)
    }
  }

  private func set(
    _ name: String, to value: BusValue, of interface: String, at path: String
  ) throws(DaemonError) {
    switch (interface, name, value.flag) {
    case (BlueZInterface.adapter, "Powered", let flag?):
      guard let index = adapter(at: path) else { return }
      if adapters[index].power == .blocked {
        guard !flag else { throw .blocked }
      } else {
        setPower(flag ? .on : .off, of: index)
      }
    case (BlueZInterface.device, "Trusted", let flag?):
      guard let index = devices.firstIndex(where: { $0.path == path && $0.isKnown }),
        devices[index].isTrusted != flag
      else { return }
      devices[index].isTrusted = flag
      deviceChanged(index, "Trusted")
    default:
      throw .readOnly(name)
    }
  }

  /// Returns an object's interfaces and its children's names, for tools that browse the bus.
  func introspect(_ call: DaemonCall) throws(DaemonError) -> [BusValue] {
    guard call.member == "Introspect" else { throw .unknownMethod(call) }
    let prefix = call.path == "/" ? "/" : call.path + "/"
    let below = objects.map(\.path).filter { $0.hasPrefix(prefix) }
    let children = Set(below.compactMap { $0.dropFirst(prefix.count).split(separator: "/").first })
    let own = objects.first { $0.path == call.path }?.interfaces.keys.sorted() ?? []
    guard call.path == "/" || !own.isEmpty || !children.isEmpty else { throw .unknownObject(call) }
    var text = """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>

      """
    let always = [BlueZInterface.introspectable] + (own.isEmpty ? [] : [BlueZInterface.properties])
    let manager = call.path == "/" ? [BlueZInterface.objectManager] : []
    for interface in always + manager + own { text += Introspection.interface(interface) }
    for child in children.sorted() { text += "  <node name=\"\(child)\"/>\n" }
    return [.string(text + "</node>\n")]
  }
}
