internal import BlueZ
internal import MetaWearProtocol
internal import Values

/// Selects the boards of a plan among the devices that a scan has found.
struct BoardFinder: Sendable {
  let wanted: RecordingPlan.Boards
  /// Boards of the plan that were found before.
  var known: [BoardAddress] = []

  /// The boards that were asked for and were heard, strongest signal first.
  func boards(among devices: [Device]) -> [Device] {
    switch wanted {
    case .any(let count):
      let boards = devices.filter(Self.looksLikeBoard)
        .sorted { ($0.rssi ?? .min, $1.address) > ($1.rssi ?? .min, $0.address) }
      // Every adapter that hears a board has its own device for it.
      var seen = Set(known)
      let new = boards.filter { seen.insert($0.address).inserted }
      return Array(new.prefix(count - known.count))
    case .addresses(let addresses):
      return addresses.compactMap { address in devices.first { $0.address == address } }
    }
  }

  /// Whether the scan may end.
  func isSatisfied(by devices: [Device]) -> Bool {
    boards(among: devices).count == wanted.count
  }

  /// The error for a scan that did not find all boards.
  func complaint(about devices: [Device], seconds: Double) -> BlueZError {
    let found = boards(among: devices)
    let missing: String
    switch wanted {
    case .any(let count):
      missing = "found \(found.count) of \(count) boards in \(Int(seconds)) s"
    case .addresses(let addresses):
      let absent = addresses.filter { address in !found.contains { $0.address == address } }
      missing = "did not find \(absent.map(\.description).joined(separator: ", "))"
    }
    let stuck = Set(
      devices.filter { $0.serviceUUIDs.contains(GATT.firmwareUpdateService) }.map(\.address))
    if case .any = wanted, !stuck.isEmpty {
      return BlueZError(
        .boardNotFound,
        missing + "; in their bootloader: "
          + stuck.sorted().map(\.description).joined(separator: ", "),
        remedy: "remove the battery of such a board for a moment; "
          + "if the board stays in its bootloader, update its firmware")
    }
    return BlueZError(
      .boardNotFound, missing,
      remedy: "wake the board by its button, bring it near, and check that no phone uses it")
  }

  /// By the service where the board advertises it, else by the factory name.
  private static func looksLikeBoard(_ device: Device) -> Bool {
    device.serviceUUIDs.contains(GATT.service) || device.name == GATT.defaultName
  }
}
