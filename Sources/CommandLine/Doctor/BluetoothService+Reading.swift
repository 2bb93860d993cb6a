internal import BlueZ
internal import DBus

extension BluetoothService {
  /// Timeout in seconds for each of two calls: one to the bus, and one to the Bluetooth service.
  private static let deadline = 2.0

  /// The paths of bluetoothd on Debian and other distributions.
  private static let programs = [
    "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd",
  ]

  /// Queries the Bluetooth service over the bus. A call on the bus normally starts a stopped
  /// service, but these calls do not.
  init(on bus: BusAddress, _ tree: SystemTree, _ user: UserRights) async {
    isInGroup = user.belongs(to: "bluetooth")
    isInstalled = Self.programs.contains { tree.exists($0) }
    do {
      let client = try await BusClient.connect(bus)
      (answer, release) = await Self.ask(client)
      client.hangUp()
    } catch {
      answer = .noBus((error as? BusError)?.message ?? "\(error)")
    }
  }

  private static func ask(_ client: BusClient) async -> (Answer, Release?) {
    do throws(BusError) {
      let isOwned = try await client.call(
        BusCall(
          "NameHasOwner", on: "/org/freedesktop/DBus", of: BlueZName.bus, at: BlueZName.bus,
          [.string(BlueZName.service)], deadline: deadline))
      guard isOwned.first?.flag == true else { return (.notRunning, nil) }
      let listing = try await client.call(
        BusCall(
          "GetManagedObjects", on: "/", of: BlueZName.objectManager, at: BlueZName.service,
          deadline: deadline, startsService: false))
      var objects = ObjectTree()
      if let listing = listing.first { objects.replace(with: listing) }
      let adapters = objects.adapters
      let release = adapters.lazy.compactMap { adapter in
        objects.properties(BlueZName.adapter, of: adapter.path)?["Modalias"]?.text
          .flatMap { Release(modalias: $0) }
      }.first
      return (.adapters(adapters), release)
    } catch {
      switch error.kind {
      case .disconnected: return (.noBus(error.message), nil)
      case .serviceUnknown: return (.notRunning, nil)
      case .accessDenied: return (.denied(error.message), nil)
      case .timedOut: return (.silent, nil)
      case .unknownObject, .refused: return (.refused(error.message), nil)
      }
    }
  }
}
