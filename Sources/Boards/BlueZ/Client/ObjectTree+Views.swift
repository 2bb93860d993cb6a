internal import DBus
public import Values

/// An adapter in the object tree.
public struct Adapter: Hashable, Sendable {
  /// Object path, such as `/org/bluez/hci0`; changes when the adapter is plugged in again.
  public var path: String
  /// The adapter's own address, which does not change.
  public var address: BoardAddress?
  /// Whether its radio is on.
  public var isPowered: Bool
  /// Whether it can be the central of a link; assumed of old daemons, which do not say.
  public var canBeCentral: Bool
  /// Whether rfkill blocks it, where the daemon says so (5.66 does only when started as
  /// experimental).
  public var isBlocked = false

  /// Last part of the path, such as `hci0`.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// A device in the object tree.
public struct Device: Hashable, Sendable {
  public var path: String
  /// The adapter that sees it.
  public var adapterPath: String
  public var address: BoardAddress
  /// The name it advertises, if any.
  public var name: String?
  /// Signal strength of the last advertisement, dBm.
  public var rssi: Int?
  /// Services that it advertises or that were found on it.
  public var serviceUUIDs: [String]
  /// Whether a link is up.
  public var isConnected: Bool
  /// Whether its services are known.
  public var areServicesResolved: Bool
  /// Last part of its adapter's path, such as `hci0`.
  public var adapterName: String {
    adapterPath.split(separator: "/").last.map(String.init) ?? adapterPath
  }

  /// Whether the daemon keeps the device and its keys.
  public var isPaired = false
  /// Whether the daemon keeps the device when it has not been heard for a while.
  public var isTrusted = false
  /// Charge of its battery in percent, while the device is linked.
  public var battery: Int?
  /// Time it was last heard, in seconds of the boot clock; the tree has no clock and leaves it
  /// `nil`.
  public var lastHeard: Double?
  /// Classification of its attributes by the shape that was asked for.
  public var structure = Structure.unknown
}

/// A GATT characteristic in the object tree.
public struct Characteristic: Hashable, Sendable {
  /// Object path.
  public var path: String
  /// 128-bit UUID, lower-case.
  public var uuid: String
  /// Its operations: `read`, `write`, `write-without-response`, `notify` …
  public var flags: Set<String>
  /// Whether it was notifying a client when the daemon listed it.
  public var isNotifying = false
}

extension ObjectTree {
  /// All adapters, in order of their paths.
  public var adapters: [Adapter] {
    paths(of: BlueZName.adapter).map { path, properties in
      Adapter(
        path: path, address: properties["Address"]?.text.flatMap { BoardAddress($0) },
        isPowered: properties["Powered"]?.flag ?? false,
        canBeCentral: properties["Roles"]?.texts?.contains("central") ?? true,
        isBlocked: properties["PowerState"]?.text == "off-blocked")
    }
  }

  /// All devices, in order of their paths.
  public var devices: [Device] {
    paths(of: BlueZName.device).compactMap { path, _ in device(at: path) }
  }

  public func device(at path: String) -> Device? {
    guard let properties = properties(BlueZName.device, of: path),
      let address = properties["Address"]?.text.flatMap({ BoardAddress($0) })
    else { return nil }
    return Device(
      path: path, adapterPath: properties["Adapter"]?.text ?? "", address: address,
      name: properties["Name"]?.text, rssi: properties["RSSI"]?.integer,
      serviceUUIDs: properties["UUIDs"]?.texts ?? [],
      isConnected: properties["Connected"]?.flag ?? false,
      areServicesResolved: properties["ServicesResolved"]?.flag ?? false,
      isPaired: properties["Paired"]?.flag ?? false,
      isTrusted: properties["Trusted"]?.flag ?? false,
      battery: self.properties(BlueZName.battery, of: path)?["Percentage"]?.integer)
  }

  /// Classification of a device by its attributes.
  public func structure(ofDevice path: String, _ shape: GATTShape) -> Structure {
    guard let device = device(at: path), device.areServicesResolved else { return .unknown }
    let services = paths(of: BlueZName.gattService).filter { $0.0.hasPrefix(path + "/") }
      .compactMap { $0.1["UUID"]?.text }
    if services.contains(shape.bootloader) { return .bootloader }
    let characteristics = characteristics(ofDevice: path)
    let isComplete =
      characteristics.contains { $0.uuid == shape.notify && $0.flags.contains("notify") }
      && characteristics.contains {
        $0.uuid == shape.command
          && !$0.flags.isDisjoint(with: ["write", "write-without-response"])
      }
    if isComplete, services.contains(shape.service) { return .complete }
    // The device's list names services whose objects are missing: the database is broken.
    let isPromised = device.serviceUUIDs.contains(shape.service)
    // A paired device that advertises no such service is not a board, and stays paired.
    let isUnknown = services.isEmpty && !device.isPaired
    return services.contains(shape.service) || isPromised || isUnknown ? .incomplete : .foreign
  }

  /// The characteristics of a device, found below its path; paths are never constructed.
  public func characteristics(ofDevice device: String) -> [Characteristic] {
    paths(of: BlueZName.characteristic).filter { $0.0.hasPrefix(device + "/") }
      .map { path, properties in
        Characteristic(
          path: path, uuid: properties["UUID"]?.text ?? "",
          flags: Set(properties["Flags"]?.texts ?? []),
          isNotifying: properties["Notifying"]?.flag ?? false)
      }
  }

  private func paths(of interface: String) -> [(String, [String: BusValue])] {
    objects.compactMap { path, interfaces in interfaces[interface].map { (path, $0) } }
      .sorted { $0.0 < $1.0 }
  }
}
