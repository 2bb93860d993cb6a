internal import BoardDriver
internal import MetaWearProtocol
internal import Terminal

/// Checks whether a board can record several sensors together.
enum SensorFit {
  /// Returns the reason why no known model can record this list, and the index of the first sensor
  /// that cannot be recorded. Returns `nil` if some model can record the whole list.
  ///
  /// Signals that only a board's own description reveals, such as a pin's voltage, are not checked.
  static func failure(of requests: [SensorRequest]) -> (index: Int, failure: BoardFailure)? {
    let known = requests.indices.filter { SensorChoice.signals.contains(requests[$0].signal) }
    for index in known {
      if let failure = failure(ofAll: [requests[index]]) { return (index, failure) }
    }
    // Signals are added one at a time. The first signal that cannot be combined with the earlier
    // ones is reported.
    for (count, index) in known.enumerated().dropFirst() {
      let part = known.prefix(count + 1).map { requests[$0] }
      if let failure = failure(ofAll: part) { return (index, failure) }
    }
    return nil
  }

  /// Returns the reason why no known model can record these signals together; `nil` if one can.
  static func failure(ofAll requests: [SensorRequest]) -> BoardFailure? {
    var nearest: BoardFailure?
    for board in KnownBoard.allCases {
      guard let modules = ModuleTable.preset(for: board.model) else { continue }
      guard let failure = modules.obstacle(to: requests) else { return nil }
      // If a model has all the signals, its failure is returned in preference to the others.
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
  /// Returns the requested sensors. Throws if no known model can record them together.
  func possibleRequests(default usual: [SensorRequest]) throws(Complaint) -> [SensorRequest] {
    let requests = requests(default: usual)
    if let (_, failure) = SensorFit.failure(of: requests) {
      throw Complaint(failure.message, remedy: failure.remedy, status: .usage)
    }
    return requests
  }
}
