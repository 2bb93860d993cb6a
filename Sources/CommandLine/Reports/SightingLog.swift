internal import BlueZ
internal import MetaWearProtocol
internal import Recording
internal import Storage
internal import Values

/// The devices that a scan has found. Each device is listed once, even if several adapters receive
/// its advertisements.
struct SightingLog: Sendable {
  private let directory: BoardDirectory
  /// The devices, in the order in which they were discovered.
  private(set) var sightings: [Sighting] = []

  init(_ directory: BoardDirectory) {
    self.directory = directory
  }

  /// Adds the devices that the Bluetooth service lists now. Returns the devices that are new.
  /// Devices that are no longer listed stay in the log.
  @discardableResult
  mutating func note(_ devices: [Device]) -> [Sighting] {
    let before = sightings.count
    var seen: [BoardAddress: Sighting] = [:]
    var order: [BoardAddress] = []
    for device in devices {
      let sighting = sighting(of: device)
      if let other = seen[device.address] {
        seen[device.address] = Self.better(of: other, sighting)
      } else {
        seen[device.address] = sighting
        order.append(device.address)
      }
    }
    for address in order {
      guard var sighting = seen[address] else { continue }
      if let position = sightings.firstIndex(where: { $0.address == address }) {
        // An advertisement may lack the name or the signal strength, so earlier values are kept.
        sighting.name = sighting.name ?? sightings[position].name
        sighting.rssi = sighting.rssi ?? sightings[position].rssi
        sighting.heard = sighting.heard ?? sightings[position].heard
        sightings[position] = sighting
      } else {
        sightings.append(sighting)
      }
    }
    return Array(sightings[before...])
  }

  private func sighting(of device: Device) -> Sighting {
    let known = directory[device.address]
    return Sighting(
      address: device.address, kind: kind(of: device, isKnown: known != nil),
      name: known?.name ?? device.name, isKnown: known != nil, model: known?.model,
      rssi: device.rssi, battery: device.battery,
      heard: device.lastHeard.map { BootTime(nanoseconds: Int64($0 * 1e9)) },
      isConnected: device.isConnected)
  }

  private func kind(of device: Device, isKnown: Bool) -> Sighting.Kind {
    if device.serviceUUIDs.contains(GATT.firmwareUpdateService) { return .bootloader }
    let isBoard =
      isKnown || device.serviceUUIDs.contains(GATT.service) || device.name == GATT.defaultName
    return isBoard ? .board : .other
  }

  /// Returns the better of two sightings. A link is better than an advertisement, and a strong
  /// signal is better than a weak one.
  private static func better(of one: Sighting, _ other: Sighting) -> Sighting {
    if one.isConnected != other.isConnected { return one.isConnected ? one : other }
    return (one.rssi ?? .min) >= (other.rssi ?? .min) ? one : other
  }
}
