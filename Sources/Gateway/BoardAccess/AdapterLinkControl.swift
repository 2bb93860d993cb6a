internal import BoardDriver
internal import BlueZ
internal import MetaWearProtocol
internal import Recording
internal import Values

/// Measures a board's link, and changes the link's parameters through this computer's Bluetooth
/// controller.
struct AdapterLinkControl: LinkControl {
  let board: BoardAddress
  let places: LinkPlaces
  let controller: HostController
  let recorder: RecorderThread

  var available: Set<LinkMethod> {
    var methods: Set<LinkMethod> = []
    if controller.abilities.contains(.update) { methods.insert(.update) }
    if controller.abilities.contains(.load) { methods.insert(.load) }
    return methods
  }

  func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) async throws {
    guard let place = places.place(of: board) else {
      throw HostControllerError(.noLink, "\(board) is not connected")
    }
    switch method {
    case .update: try await controller.update(place, parameters)
    case .load: try await controller.load(place, parameters)
    }
  }

  /// Returns the measurement made by the recorder, which sees every packet arrive.
  func measurement() -> LinkMeasurement? {
    recorder.liveStatus.boards.first { $0.identity.address == board }?.link
  }
}
