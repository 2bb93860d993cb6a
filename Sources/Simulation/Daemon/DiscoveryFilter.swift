internal import DBus
internal import Values

struct DiscoveryFilter {
  static let keys: Set<String> = [
    "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
  ]

  private let services: [String]?
  private let weakest: Int?
  private let transport: String
  private let pattern: String?

  /// Creates a filter with these keys; `nil` if the daemon rejects one of them.
  init?(_ properties: [String: BusValue]) {
    guard properties.keys.allSatisfy(Self.keys.contains),
      properties["RSSI"] == nil || properties["Pathloss"] == nil
    else { return nil }
    services = properties["UUIDs"]?.texts
    weakest = properties["RSSI"]?.integer
    pattern = properties["Pattern"]?.text
    transport = properties["Transport"]?.text ?? "auto"
    guard ["auto", "le", "bredr"].contains(transport),
      properties["UUIDs"] == nil || services != nil,
      properties["RSSI"] == nil || weakest != nil,
      properties["Pattern"] == nil || pattern != nil
    else { return nil }
  }

  func matches(_ device: SimulatedDevice) -> Bool {
    guard transport != "bredr" else { return false }
    if let weakest, let rssi = device.rssi, rssi < weakest { return false }
    if let services, !services.isEmpty, !services.contains(device.advertisedService) {
      return false
    }
    guard let pattern else { return true }
    let address = device.board.address.description
    return address.hasPrefix(pattern) || device.peripheral.name.hasPrefix(pattern)
  }
}
