internal import DBus
public import Values

public struct Adapter: Hashable, Sendable {
  /// Object path, such as `/org/bluez/hci0`. The path changes when the adapter is plugged in again.
  public var path: String
  /// The adapter's own Bluetooth address, which never changes.
  public var address: BoardAddress?
  public var isPowered: Bool
  /// Whether the adapter can act as a central. If the daemon is too old to report this, the adapter
  /// is assumed to support the role.
  public var canBeCentral: Bool
  /// Whether rfkill blocks the adapter. False if the daemon does not report this; BlueZ 5.66
  /// reports it only in experimental mode.
  public var isBlocked = false

  /// Last component of the adapter's path, such as `hci0`.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

public struct Device: Hashable, Sendable {
  public var path: String
  /// Path of the adapter that found the device.
  public var adapterPath: String
  public var address: BoardAddress
  /// The advertised name, or `nil` if no name was received.
  public var name: String?
  /// Signal strength of the last advertisement, in dBm.
  public var rssi: Int?
  /// UUIDs of services that the device advertises or that were discovered on it.
  public var serviceUUIDs: [String]
  public var isConnected: Bool
  /// Whether the daemon knows the device's services.
  public var areServicesResolved: Bool
  /// Last component of the adapter's path, such as `hci0`.
  public var adapterName: String {
    adapterPath.split(separator: "/").last.map(String.init) ?? adapterPath
  }

  /// Whether the daemon stores the device and the keys exchanged with it.
  public var isPaired = false
  /// Whether the daemon remembers the device even if it has not advertised for a while.
  public var isTrusted = false
  /// Battery charge in percent, or `nil` if the device is not linked or has not reported it.
  public var battery: Int?
  /// Time of the last advertisement, in seconds on the boot clock. `ObjectTree` has no clock, so it
  /// leaves this `nil`.
  public var lastHeard: Double?
  /// Result of comparing the device's attributes with those expected of a board.
  public var structure = Structure.unknown
}

public struct Characteristic: Hashable, Sendable {
  public var path: String
  /// The characteristic's full 128-bit UUID, in lower case.
  public var uuid: String
  /// Names of the supported operations: `read`, `write`, `write-without-response`, `notify` …
  public var flags: Set<String>
  /// Whether the characteristic was already sending notifications to a client when the daemon
  /// listed it.
  public var isNotifying = false
}

extension ObjectTree {
  /// All adapters, sorted by path.
  public var adapters: [Adapter] {
    paths(of: BlueZName.adapter).map { path, properties in
      Adapter(
        path: path, address: properties["Address"]?.text.flatMap { BoardAddress($0) },
        isPowered: properties["Powered"]?.flag ?? false,
        canBeCentral: properties["Roles"]?.texts?.contains("central") ?? true,
        isBlocked: properties["PowerState"]?.text == "off-blocked")
    }
  }

  /// All devices, sorted by path.
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

  /// Compares a device's attributes with those expected of a board.
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
    // The device lists services that have no objects, so the daemon's cached attributes are
    // damaged.
    let isPromised = device.serviceUUIDs.contains(shape.service)
    // A paired device without the board's service is not a board. Treating it as incomplete would
    // end the pairing.
    let isUnknown = services.isEmpty && !device.isPaired
    return services.contains(shape.service) || isPromised || isUnknown ? .incomplete : .foreign
  }

  /// Returns the characteristics below a device's path. Their paths are looked up, never
  /// constructed.
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
