public import LinuxSystem
public import Values

/// The reason why text could not be written.
public enum OutputError: Remediable, Hashable {
  /// The reader closed the pipe because it needs no more output.
  case closed
  /// The system returned an error, for example because the disk is full.
  case failed(SystemError)
  /// The reader has stopped reading, and the program must end.
  case unread

  public var message: String {
    switch self {
    case .closed: "cannot write to standard output: the reader closed it"
    case .failed(let error): error.message
    case .unread: "cannot write to standard output: the reader has stopped reading"
    }
  }

  public var remedy: String { "free some space on that disk, or redirect standard output" }
}
