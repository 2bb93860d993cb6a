internal import DBus
public import Recording

extension BlueZClient {
  /// The adapter with this address, or the first that can be a central; its radio is switched on.
  public func adapter(_ address: BoardAddress? = nil) async throws(BlueZError) -> Adapter {
    let adapters = objects.adapters
    let chosen = adapters.first { adapter in
      address.map { $0 == adapter.address } ?? adapter.canBeCentral
    }
    guard let chosen else {
      throw BlueZError(
        .noAdapter,
        address.map { "there is no Bluetooth adapter \($0)" } ?? "there is no Bluetooth adapter",
        remedy: adapters.isEmpty
          ? "plug one in; 'bluetoothctl list' shows what the system sees"
          : "adapters here: "
            + adapters.compactMap { $0.address?.description }.joined(separator: ", ")
      )
    }
    if chosen.isPowered { return chosen }
    try await call(
      "Set", on: chosen.path, of: BlueZName.properties,
      [.string(BlueZName.adapter), .string("Powered"), .variant(.boolean(true))], deadline: 10)
    let isOn = await wait(seconds: 10) { tree in
      tree.adapters.contains { $0.path == chosen.path && $0.isPowered }
    }
    guard isOn else {
      throw BlueZError(
        .notPermitted, "the adapter \(chosen.name) stays off",
        remedy: "look at 'rfkill list'; unblock it with 'rfkill unblock bluetooth'")
    }
    return chosen
  }

  /// Scans until every device that `enough` wants has been seen, or the time is over; returns the
  /// devices this adapter knows then. Discovery is off again afterwards.
  public func scan(
    _ adapter: Adapter, seconds: Double,
    until enough: @escaping @Sendable ([Device]) -> Bool
  ) async throws(BlueZError) -> [Device] {
    // Boards do not reliably advertise their service, so the filter asks for the transport only.
    let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(false)])
    try await call("SetDiscoveryFilter", on: adapter.path, of: BlueZName.adapter, [filter])
    try await call("StartDiscovery", on: adapter.path, of: BlueZName.adapter)
    _ = await wait(seconds: seconds) { tree in
      enough(tree.devices.filter { $0.adapterPath == adapter.path })
    }
    // Signal strengths go with the discovery session.
    let seen = objects.devices.filter { $0.adapterPath == adapter.path }
    // A session that ended by itself (adapter off) is no failure of the scan.
    _ = try? await call("StopDiscovery", on: adapter.path, of: BlueZName.adapter)
    return seen
  }
}
