internal import Boards
internal import HostController
internal import MetaWearProtocol
internal import Recording
internal import Values

/// A board's link as this computer can change it and measure it.
struct AdapterLevers: LinkLevers {
  let board: BoardAddress
  let places: LinkPlaces
  let controller: HostController
  let recorder: RecorderThread

  var available: Set<HostLever> {
    var levers: Set<HostLever> = []
    if controller.abilities.contains(.update) { levers.insert(.update) }
    if controller.abilities.contains(.load) { levers.insert(.load) }
    return levers
  }

  func pull(_ lever: HostLever, _ parameters: ConnectionParameters) async throws {
    guard let place = places.place(of: board) else {
      throw HostControllerError(.noLink, "\(board) is not linked")
    }
    switch lever {
    case .update: try await controller.update(place, parameters)
    case .load: try await controller.load(place, parameters)
    }
  }

  /// The recorder sees each arrival anyway, so it measures.
  func measurement() -> LinkMeasurement? {
    recorder.liveStatus.boards.first { $0.identity.address == board }?.link
  }
}
