internal import DBus
internal import Values

struct SimulatedAdapter {
  /// The power state: on, off, or blocked by the radio switch.
  enum Power {
    case off
    case on
    case blocked
  }

  /// The number in the name, as in `hci0`. It may change when the adapter is plugged in again.
  var number: Int
  /// The radio's address, which never changes.
  let address: BoardAddress
  /// Whether the adapter is plugged in.
  var isPresent = true
  var power = Power.on
  /// Whether the daemon switches the adapter on when the radio is unblocked, because the adapter
  /// was on before.
  var isOnWhenFree = false
  /// Clients with a discovery session.
  var discoverers: Set<String> = []
  /// The clients' filters, which remain until the clients disconnect.
  var filters: [String: DiscoveryFilter] = [:]
  /// The action that makes `StartDiscovery` work again; `nil` if it is working.
  var wedge: DaemonFault.Cure?

  /// The action that makes links work again; `nil` if they are working.
  var confusion: DaemonFault.AdapterCure?

  init(number: Int) {
    self.number = number
    address = BoardAddress(value: 0x00_1a_7d_da_71_0a + UInt64(number))
  }

  var path: String { "/org/bluez/hci\(number)" }

  var isPowered: Bool { isPresent && power == .on }

  var isDiscovering: Bool { !discoverers.isEmpty }

  /// Returns whether any discovery session's filter accepts this device. The filters of all clients
  /// are combined, so each client receives every device that any client's filter accepts.
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
