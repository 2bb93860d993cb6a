public import LinuxSystem
public import Values

/// Why text could not be written.
public enum OutputError: Remediable, Hashable {
  /// The reader closed the pipe: it has seen enough.
  case closed
  /// The system refused, as a full disk does.
  case failed(SystemError)
  /// Its reader does not read, and the program is to end.
  case unread

  /// What failed and why.
  public var message: String {
    switch self {
    case .closed: "cannot write to standard output: its reader closed it"
    case .failed(let error): error.message
    case .unread: "cannot write to standard output: its reader does not read"
    }
  }

  /// What to do about it.
  public var remedy: String { "make room there, or send standard output elsewhere" }
}
