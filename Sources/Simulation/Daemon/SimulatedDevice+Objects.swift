internal import DBus
internal import MetaWearProtocol
internal import Recording
internal import Values

// The device's objects on the bus: paths, interfaces, properties.
extension SimulatedDevice {
  typealias Properties = [String: BusValue]

  var deviceProperties: Properties {
    var properties: Properties = [
      "Adapter": .objectPath(adapterPath),
      "Address": .string(board.address.description),
      "AddressType": .string("random"),
      "Alias": .string(peripheral.name),
      "Blocked": .boolean(false),
      "Bonded": .boolean(isPaired),
      "Connected": .boolean(isConnected),
      "LegacyPairing": .boolean(false),
      "Name": .string(peripheral.name),
      "Paired": .boolean(isPaired),
      "ServicesResolved": .boolean(areServicesResolved),
      "Trusted": .boolean(isTrusted),
      "UUIDs": .strings(
        areServicesResolved ? table.services.map(\.uuid) : [advertisedService]),
    ]
    if let rssi { properties["RSSI"] = .int16(Int16(rssi)) }
    let companies = manufacturerData
    if !companies.isEmpty {
      properties["ManufacturerData"] = .dictionary(key: "q", value: "v", companies)
    }
    return properties
  }

  /// The manufacturer data in the scan response. The response consists of fields, each of which has
  /// a length, a type and content. A field of type ff begins with the company id.
  private var manufacturerData: [BusValue.Entry] {
    var rest = board.scanResponse[...]
    var found: [BusValue.Entry] = []
    while let length = rest.first.map(Int.init), length > 0, rest.count > length {
      let field = Array(rest.dropFirst().prefix(length))
      rest = rest.dropFirst(1 + length)
      guard field[0] == 0xff, field.count >= 3 else { continue }
      let company = UInt16(field[1]) | UInt16(field[2]) << 8
      found.append(
        BusValue.Entry(key: .uint16(company), value: .variant(.bytes(Array(field[3...])))))
    }
    return found
  }

  var table: GATTTable { peripheral.table }

  /// The service in the board's advertising data.
  var advertisedService: String { peripheral.advertisedService }

  /// The GATT objects, ordered by handle. They exist only while services are resolved.
  var attributes: [(path: String, interface: String, properties: Properties)] {
    guard areServicesResolved, areObjectsShown else { return [] }
    return table.services.flatMap { service in
      let servicePath = path + "/service" + GATTTable.digits(service.handle)
      let head = (
        servicePath, BlueZInterface.service,
        [
          "Device": BusValue.objectPath(path), "Includes": .array(of: "o", []),
          "Primary": .boolean(true), "UUID": .string(service.uuid),
        ]
      )
      return [head]
        + service.characteristics.map { attribute in
          (
            servicePath + "/char" + GATTTable.digits(attribute.handle),
            BlueZInterface.characteristic, properties(of: attribute, in: servicePath)
          )
        }
    }
  }

  /// Returns the characteristic at a path, while services are resolved.
  func attribute(at path: String) -> GATTTable.Attribute? {
    guard areServicesResolved, areObjectsShown, path.hasPrefix(self.path + "/service") else {
      return nil
    }
    return table.services.lazy.flatMap(\.characteristics).first {
      path.hasSuffix("/char" + GATTTable.digits($0.handle))
    }
  }

  /// Path of the characteristic that sends notifications; `nil` while its object is not on the bus.
  var notifyPath: String? {
    guard areServicesResolved, areObjectsShown else { return nil }
    return table.notifyHandles.map { service, characteristic in
      path + "/service" + GATTTable.digits(service) + "/char" + GATTTable.digits(characteristic)
    }
  }

  /// The battery level; `nil` until it has been read.
  var battery: Properties? {
    isBatteryShown ? ["Percentage": .byte(board.battery.percent)] : nil
  }

  private func properties(of attribute: GATTTable.Attribute, in service: String) -> Properties {
    var properties: Properties = [
      "Flags": .strings(attribute.flags), "MTU": .uint16(SimulatedDaemon.mtu),
      "Service": .objectPath(service), "UUID": .string(attribute.uuid),
    ]
    if case .notify = attribute.role {
      properties["NotifyAcquired"] = .boolean(isAcquired)
      properties["Notifying"] = .boolean(isNotifying)
      properties["Value"] = lastValue.map { .bytes($0) }
    }
    if case .command = attribute.role { properties["WriteAcquired"] = .boolean(false) }
    return properties
  }

  var isAcquired: Bool {
    switch listener {
    case .socket, .acquiring: true
    case .nobody, .signals: isStuckAcquired || peripheral.isAcquiredByOther
    }
  }

  var isNotifying: Bool {
    if case .nobody = listener { false } else { true }
  }
}

/// The simulated daemon's interfaces. They are defined separately from the client's code, so that
/// incorrect names in the client are detected.
enum BlueZInterface {
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let battery = "org.bluez.Battery1"
  static let service = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let agentManager = "org.bluez.AgentManager1"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"
  static let peer = "org.freedesktop.DBus.Peer"
  static let introspectable = "org.freedesktop.DBus.Introspectable"
}
