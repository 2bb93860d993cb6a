public import Values

/// An error that is shown to the user: what failed, and the remedy.
public struct Complaint: Remediable, Hashable {
  /// The failed operation and its object. Begins with a lower-case letter and has no full stop.
  public var message: String
  /// The remedy, one line per suggestion; empty if there is none.
  public var remedy: String
  public var status: ExitStatus

  /// Creates an error that ends the process with the exit status `status`.
  public init(_ message: String, remedy: String = "", status: ExitStatus = .failed) {
    self.message = message
    self.remedy = remedy
    self.status = status
  }

  /// The error as shown: the message after `error:`, with the remedy indented below it. Both may
  /// quote text from the user or from a radio packet.
  public var description: String {
    let indent = "\n       "
    let lines = [("error: " + message)[...]] + remedy.split(separator: "\n")
    return lines.map { TerminalText.harmless(String($0)) }.joined(separator: indent)
  }

  /// Returns a command-line error with a remedy that refers to the help of `command`.
  public static func usage(_ message: String, remedy: String? = nil, command: String) -> Complaint {
    Complaint(
      message, remedy: (remedy.map { $0 + "\n" } ?? "") + "try '\(command) --help'", status: .usage)
  }
}

extension Complaint {
  public init(explaining error: any Error) {
    switch error {
    case let error as Complaint: self = error
    case let error as any Explainable: self = error.complaint
    case let error as any Remediable: self.init(error.message, remedy: error.remedy)
    default: self.init("\(error)")
    }
  }
}

/// An error that sets its own exit status, or that consists of more than a message and a remedy.
public protocol Explainable: Error {
  var complaint: Complaint { get }
}

extension Explainable where Self: Remediable {
  public func complaint(ending status: ExitStatus) -> Complaint {
    Complaint(message, remedy: remedy, status: status)
  }
}
