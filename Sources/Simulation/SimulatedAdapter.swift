internal import DBus

/// The adapter of the simulated daemon.
struct SimulatedAdapter {
  let path: String
  /// Address of the simulated radio.
  let address = "00:1A:7D:DA:71:0A"
  var isPowered = true
  /// Clients with a discovery session.
  var discoverers: Set<String> = []

  var isDiscovering: Bool { !discoverers.isEmpty }

  var properties: [String: BusValue] {
    [
      "Address": .string(address),
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
      "Powered": .boolean(isPowered),
      "Roles": .strings(["central", "peripheral"]),
      "UUIDs": .strings([]),
    ]
  }
}
