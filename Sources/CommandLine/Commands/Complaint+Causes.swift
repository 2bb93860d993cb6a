public import BlueZ
public import Gateway
public import Simulation
public import Terminal
internal import Values

extension Complaint {
  /// Combines several failures into one complaint. The first failure sets the message and the exit
  /// status; the remedy lists the others. Returns `nil` for an empty list.
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

// Errors from lower layers for which commands return specific exit statuses.

extension BlueZError: Explainable {
  /// The exit status distinguishes a missing board from unavailable Bluetooth.
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
  /// The exit status distinguishes an unreachable destination from other failures.
  public var complaint: Complaint { complaint(ending: isUnreachable ? .unreachable : .failed) }
}

extension SimulationError: Explainable {
  /// The exit status reports that Bluetooth is unavailable.
  public var complaint: Complaint { complaint(ending: .unavailable) }
}
