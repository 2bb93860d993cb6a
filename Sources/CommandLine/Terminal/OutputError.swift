public import LinuxSystem

/// Why text could not be written.
public enum OutputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reader closed the pipe: it has seen enough.
  case closed
  /// The system refused, as a full disk does.
  case failed(SystemError)
  /// Its reader does not read, and the program is to end.
  case unread

  /// One line: what failed and why.
  public var description: String {
    switch self {
    case .closed: "cannot write to standard output: its reader closed it"
    case .failed(let error): error.description
    case .unread: "cannot write to standard output: its reader does not read"
    }
  }
}
