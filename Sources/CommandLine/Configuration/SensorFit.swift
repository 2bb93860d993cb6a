internal import BoardDriver
internal import MetaWearProtocol
internal import Terminal

/// Whether boards can record sensors together.
enum SensorFit {
  /// The fault of a list of sensors for every known model, by its place in the list; `nil` if
  /// some model can record them together.
  ///
  /// A signal that no known model has is not judged: someone may have added its module to a board.
  static func failure(of requests: [SensorRequest]) -> (index: Int, failure: BoardFailure)? {
    let known = requests.indices.filter { SensorChoice.signals.contains(requests[$0].signal) }
    for index in known {
      if let failure = failure(ofAll: [requests[index]]) { return (index, failure) }
    }
    // The last signal that cannot be added is the one to name.
    for (count, index) in known.enumerated().dropFirst() {
      let part = known.prefix(count + 1).map { requests[$0] }
      if let failure = failure(ofAll: part) { return (index, failure) }
    }
    return nil
  }

  /// The reason why no known model can record these signals together; `nil` if one can.
  static func failure(ofAll requests: [SensorRequest]) -> BoardFailure? {
    var nearest: BoardFailure?
    for board in KnownBoard.allCases {
      guard let modules = ModuleTable.preset(for: board.model) else { continue }
      guard let failure = modules.obstacle(to: requests) else { return nil }
      // A model with all the signals gives the real reason.
      let signals = Set(modules.sensors.map(\.signal))
      if nearest == nil, requests.allSatisfy({ signals.contains($0.signal) }) { nearest = failure }
    }
    return nearest
      ?? BoardFailure(
        "no model has " + requests.map(\.signal).joined(separator: " and "),
        remedy: "'footbridge sensors' lists the signals of each model")
  }
}

extension SensorChoice {
  /// The requests; refused at once if no known model can record them together.
  func possibleRequests(default usual: [SensorRequest]) throws(Complaint) -> [SensorRequest] {
    let requests = requests(default: usual)
    if let (_, failure) = SensorFit.failure(of: requests) {
      throw Complaint(failure.message, remedy: failure.remedy, status: .usage)
    }
    return requests
  }
}
