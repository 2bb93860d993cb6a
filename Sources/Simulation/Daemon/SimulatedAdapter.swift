internal import DBus
internal import Values

/// An adapter of the simulated daemon.
struct SimulatedAdapter {
  /// Whether the radio is off and may be switched on, on, or kept off by its switch.
  enum Power {
    case off
    case on
    case blocked
  }

  /// The number in its name, `hci0` and so on; another one may be given when it is plugged in
  /// again.
  var number: Int
  /// Address of its radio, which it keeps.
  let address: BoardAddress
  /// Whether it is plugged in.
  var isPresent = true
  var power = Power.on
  /// Whether the daemon switches it on when its radio is free again, as it was before.
  var isOnWhenFree = false
  /// Clients with a discovery session.
  var discoverers: Set<String> = []
  /// The filters they set, which stay until they leave.
  var filters: [String: DiscoveryFilter] = [:]
  /// Why `StartDiscovery` does not work, and what would help.
  var wedge: DaemonFault.Cure?

  /// The adapter at this place.
  init(number: Int) {
    self.number = number
    address = BoardAddress(value: 0x00_1a_7d_da_71_0a + UInt64(number))
  }

  var path: String { "/org/bluez/hci\(number)" }

  var isPowered: Bool { isPresent && power == .on }

  var isDiscovering: Bool { !discoverers.isEmpty }

  /// Whether anybody who scans wants to know of a device; filters of all clients are taken
  /// together, so that each gets what any of them asked for.
  func isWanted(_ device: SimulatedDevice) -> Bool {
    discoverers.contains { client in filters[client]?.matches(device) ?? true }
  }

  var properties: [String: BusValue] {
    let state =
      switch power {
      case .off: "off"
      case .on: "on"
      case .blocked: "off-blocked"
      }
    return [
      "Address": .string(address.description),
      "AddressType": .string("public"),
      "Alias": .string("footbridge-simulation"),
      "Class": .uint32(0),
      "Discoverable": .boolean(false),
      "DiscoverableTimeout": .uint32(180),
      "Discovering": .boolean(isDiscovering),
      "Modalias": .string("usb:v1D6Bp0246d0542"),
      "Name": .string("footbridge-simulation"),
      "Pairable": .boolean(false),
      "PairableTimeout": .uint32(0),
      "PowerState": .string(state),
      "Powered": .boolean(power == .on),
      "Roles": .strings(["central", "peripheral"]),
      "UUIDs": .strings([]),
    ]
  }
}
