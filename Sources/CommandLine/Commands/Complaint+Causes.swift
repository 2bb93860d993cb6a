public import BlueZ
public import Gateway
public import Simulation
public import Terminal
internal import Values

extension Complaint {
  /// Several failures in one complaint: the first sets the exit status, and the others follow in
  /// the remedy. `nil` for an empty list.
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

// Errors of the layers below with exit statuses of their own.

extension BlueZError: Explainable {
  /// The exit status distinguishes a missing board from missing Bluetooth.
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
  /// The exit status shows whether the destination was reached.
  public var complaint: Complaint { complaint(ending: isUnreachable ? .unreachable : .failed) }
}

extension SimulationError: Explainable {
  /// The exit status reports missing Bluetooth.
  public var complaint: Complaint { complaint(ending: .unavailable) }
}
