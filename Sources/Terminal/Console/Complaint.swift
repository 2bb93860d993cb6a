public import Values

/// An error for the user: the failure and its object, with the remedy.
public struct Complaint: Remediable, Hashable {
  /// The failure and its object; no capital at the start and no full stop.
  public var message: String
  /// The remedy, one line per suggestion; empty without a suggestion.
  public var remedy: String
  /// The exit status of the process.
  public var status: ExitStatus

  /// A complaint that ends the process with `status`.
  public init(_ message: String, remedy: String = "", status: ExitStatus = .failed) {
    self.message = message
    self.remedy = remedy
    self.status = status
  }

  /// The lines as shown: the message after `error:`, the remedy indented below it. They may repeat
  /// text from a user or from the air.
  public var description: String {
    let indent = "\n       "
    let lines = [("error: " + message)[...]] + remedy.split(separator: "\n")
    return lines.map { TerminalText.harmless(String($0)) }.joined(separator: indent)
  }

  /// A mistake on the command line, with the command whose help explains it.
  public static func usage(_ message: String, remedy: String? = nil, command: String) -> Complaint {
    Complaint(
      message, remedy: (remedy.map { $0 + "\n" } ?? "") + "try '\(command) --help'", status: .usage)
  }
}

extension Complaint {
  /// The complaint for an error of the layers below.
  public init(explaining error: any Error) {
    switch error {
    case let error as Complaint: self = error
    case let error as any Explainable: self = error.complaint
    case let error as any Remediable: self.init(error.message, remedy: error.remedy)
    default: self.init("\(error)")
    }
  }
}

/// An error that has its own exit status, or more to say than a message.
public protocol Explainable: Error {
  /// The error for the user.
  var complaint: Complaint { get }
}

extension Explainable where Self: Remediable {
  /// The error with its remedy and an exit status.
  public func complaint(ending status: ExitStatus) -> Complaint {
    Complaint(message, remedy: remedy, status: status)
  }
}
