internal import BlueZ
internal import MetaWearProtocol
internal import Values

/// Selects a plan's boards from the devices that a scan found.
struct BoardFinder: Sendable {
  let wanted: RecordingPlan.Boards
  /// Boards that were found earlier.
  var known: [BoardAddress] = []

  /// Returns the requested boards that were heard during the scan. If the plan specifies only a
  /// number of boards, omits the known boards and returns the strongest signals first.
  func boards(among devices: [Device]) -> [Device] {
    switch wanted {
    case .any(let count):
      let boards = devices.filter(Self.looksLikeBoard)
        .sorted { ($0.rssi ?? .min, $1.address) > ($1.rssi ?? .min, $0.address) }
      // If several adapters hear a board, each of them lists the board as a separate device.
      var seen = Set(known)
      let new = boards.filter { seen.insert($0.address).inserted }
      return Array(new.prefix(count - known.count))
    case .addresses(let addresses):
      return addresses.compactMap { address in devices.first { $0.address == address } }
    }
  }

  /// Returns whether every requested board has been found, in which case the scan can end.
  func isSatisfied(by devices: [Device]) -> Bool {
    boards(among: devices).count == wanted.count
  }

  /// Returns the error for a scan that did not find all the boards.
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
        remedy: "briefly remove the board's battery; "
          + "if the board stays in its bootloader, update its firmware")
    }
    return BlueZError(
      .boardNotFound, missing,
      remedy: "wake the board with its button, move it closer, and check that no phone is using it")
  }

  private static func looksLikeBoard(_ device: Device) -> Bool {
    device.serviceUUIDs.contains(GATT.service) || device.name == GATT.defaultName
  }
}
