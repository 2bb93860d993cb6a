internal import BlueZ
internal import Gateway
internal import Simulation
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

  /// What an error of the layers below means to the person at the keyboard.
  public init(explaining error: any Error) {
    switch error {
    case let error as Complaint: self = error
    case let error as ConfigurationFaults: self = error.complaint
    case let error as any Remediable:
      self.init(error.message, remedy: error.remedy, status: ExitStatus(of: error))
    default: self.init("\(error)")
    }
  }
}

extension ExitStatus {
  fileprivate init(of error: any Remediable) {
    switch error {
    case is SimulationError: self = .unavailable
    case let error as DefinitionsPull.Failure where error.isUnreachable: self = .unreachable
    case let error as BlueZError:
      switch error.kind {
      case .daemonMissing, .noAdapter, .adapterOff, .notPermitted: self = .unavailable
      case .boardNotFound: self = .boardNotFound
      case .connectFailed, .notABoard, .bootloader, .held, .notPaired, .linkLost, .refused:
        self = .failed
      }
    default: self = .failed
    }
  }
}
