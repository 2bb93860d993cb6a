public import LinuxSystem
public import Values

/// The reason why text could not be written.
public enum OutputError: Remediable, Hashable {
  /// The reader closed the pipe, because it needs no more.
  case closed
  /// The system refused, for example because the disk is full.
  case failed(SystemError)
  /// The reader does not read, and the program must end.
  case unread

  public var message: String {
    switch self {
    case .closed: "cannot write to standard output: its reader closed it"
    case .failed(let error): error.message
    case .unread: "cannot write to standard output: its reader does not read"
    }
  }

  public var remedy: String { "free some space there, or redirect standard output" }
}
