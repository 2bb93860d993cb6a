internal import DBus
public import Values

/// An adapter as the tree knows it.
public struct Adapter: Hashable, Sendable {
  /// Object path, such as `/org/bluez/hci0`; changes when it is plugged in again.
  public var path: String
  /// Its own address, which does not change.
  public var address: BoardAddress?
  /// Whether its radio is on.
  public var isPowered: Bool
  /// Whether it can be the central of a link; old daemons do not say.
  public var canBeCentral: Bool
  /// Whether rfkill keeps it off, where the daemon says so (5.66 does only when asked to be
  /// experimental).
  public var isBlocked = false

  /// Last part of the path, such as `hci0`.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// A device as the tree knows it.
public struct Device: Hashable, Sendable {
  /// Object path.
  public var path: String
  /// The adapter that sees it.
  public var adapterPath: String
  /// Its address.
  public var address: BoardAddress
  /// The name it advertises, if any.
  public var name: String?
  /// Signal strength of the last advertisement, dBm.
  public var rssi: Int?
  /// Services it advertises or was found to have.
  public var serviceUUIDs: [String]
  /// Whether a link is up.
  public var isConnected: Bool
  /// Whether its services are known.
  public var areServicesResolved: Bool
  /// Last part of its adapter's path, such as `hci0`.
  public var adapterName: String {
    adapterPath.split(separator: "/").last.map(String.init) ?? adapterPath
  }

  /// Whether the daemon keeps it and its keys.
  public var isPaired = false
  /// Whether the daemon keeps it when it has not been heard for a while.
  public var isTrusted = false
  /// Charge of its battery in percent, while it is linked.
  public var battery: Int?
  /// When it was last heard, in seconds of the boot clock; the tree has no clock and leaves it out.
  public var lastHeard: Double?
  /// What its attributes say of it, by the shape that was asked for.
  public var structure = Structure.unknown
}

/// A GATT characteristic as the tree knows it.
public struct Characteristic: Hashable, Sendable {
  /// Object path.
  public var path: String
  /// 128-bit UUID, lower-case.
  public var uuid: String
  /// What it can do: `read`, `write`, `write-without-response`, `notify` …
  public var flags: Set<String>
  /// Whether a client was being notified when it was listed.
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

  /// The device at a path.
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

  /// What the attributes of a device say of it.
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
    // The list of the device names services whose objects are not there: the database is broken.
    let isPromised = device.serviceUUIDs.contains(shape.service)
    // A paired device that promises nothing is no board, and stays paired.
    let isUnknown = services.isEmpty && !device.isPaired
    return services.contains(shape.service) || isPromised || isUnknown ? .incomplete : .foreign
  }

  /// The characteristics of a device, found below its path, never by a made-up one.
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
