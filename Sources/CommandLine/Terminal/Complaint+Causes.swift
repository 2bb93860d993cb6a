internal import SessionFolder
internal import BlueZ
internal import BoardDriver
internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Storage

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
    case let error as Complaint:
      self = error
    case let error as BlueZError:
      self.init(error.message, remedy: error.remedy, status: ExitStatus(error.kind))
    case let error as BoardFailure:
      self.init(error.message, remedy: error.remedy)
    case let error as SimulationError:
      self.init(error.message, remedy: error.remedy, status: .unavailable)
    case let error as StoreError:
      self.init(error.message, remedy: error.remedy)
    case let error as ExportError:
      self.init(error.message, remedy: error.remedy)
    case let error as OutputRefusal:
      self.init(error.message, remedy: error.remedy)
    case let error as UploadError:
      self.init(error.message, remedy: error.remedy)
    case let error as DefinitionsPull.Failure:
      self.init(
        error.reason, remedy: error.remedy, status: error.isUnreachable ? .unreachable : .failed)
    case let error as DefinitionsPull.Fault:
      self.init(
        "the definitions in the store have a fault: \(error.reason)",
        remedy: "pull others with 'footbridge definitions pull'")
    case let error as SystemError:
      self.init(error.description, remedy: error.remedy)
    case let error as ConfigurationFaults:
      self = error.complaint
    case let error as OutputError:
      self.init(
        "\(error)", remedy: "make room there, or send standard output elsewhere")
    default:
      self.init("\(error)")
    }
  }
}

extension ExitStatus {
  fileprivate init(_ kind: BlueZError.Kind) {
    switch kind {
    case .daemonMissing, .noAdapter, .adapterOff, .notPermitted: self = .unavailable
    case .boardNotFound: self = .boardNotFound
    case .connectFailed, .notABoard, .bootloader, .held, .notPaired, .linkLost, .refused:
      self = .failed
    }
  }
}
