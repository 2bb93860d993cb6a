public import BlueZ
public import Gateway
public import Simulation
public import Terminal
internal import Values

extension Complaint {
  /// Several failures, the first of which is why the program ends: the others are told after it.
  /// `nil` where there are none.
  init?(explainingAll errors: [any Error]) {
    guard let first = errors.first else { return nil }
    self.init(explaining: first)
    for error in errors.dropFirst() {
      let other = Complaint(explaining: error)
      let lines = [remedy, "besides: " + other.message, other.remedy]
      remedy = lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }
  }
}

// The errors of the layers below that have an exit status of their own.

extension BlueZError: Explainable {
  /// The error, by which the process says whether a board or all of Bluetooth is missing.
  public var complaint: Complaint {
    let status: ExitStatus =
      switch kind {
      case .daemonMissing, .noAdapter, .adapterOff, .notPermitted: .unavailable
      case .boardNotFound: .boardNotFound
      case .connectFailed, .notABoard, .bootloader, .held, .notPaired, .linkLost, .refused:
        .failed
      }
    return complaint(ending: status)
  }
}

extension DefinitionsPull.Failure: Explainable {
  /// The error, by which the process says whether the destination could be reached.
  public var complaint: Complaint { complaint(ending: isUnreachable ? .unreachable : .failed) }
}

extension SimulationError: Explainable {
  /// The error, by which the process says that it has no Bluetooth.
  public var complaint: Complaint { complaint(ending: .unavailable) }
}
