public import Values

/// An error for the person at the keyboard: what failed on what, and what to do about it.
public struct Complaint: Remediable, Hashable {
  /// What failed, on what; no capital at the start and no full stop.
  public var message: String
  /// What to do about it, one line per suggestion; empty when nothing can be suggested.
  public var remedy: String
  /// How the process ends.
  public var status: ExitStatus

  /// A complaint that ends the process with `status`.
  public init(_ message: String, remedy: String = "", status: ExitStatus = .failed) {
    self.message = message
    self.remedy = remedy
    self.status = status
  }

  /// The lines as they are shown: the message after `error:`, the remedy indented below it. They
  /// may repeat what a user wrote, or what came over the air.
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
  /// What an error of the layers below means to the person at the keyboard.
  public init(explaining error: any Error) {
    switch error {
    case let error as Complaint: self = error
    case let error as any Explainable: self = error.complaint
    case let error as any Remediable: self.init(error.message, remedy: error.remedy)
    default: self.init("\(error)")
    }
  }
}

/// An error that ends the process in a way of its own, or has more to say than a message.
public protocol Explainable: Error {
  /// The error for the person at the keyboard.
  var complaint: Complaint { get }
}

extension Explainable where Self: Remediable {
  /// The error with its remedy, by which the process ends with `status`.
  public func complaint(ending status: ExitStatus) -> Complaint {
    Complaint(message, remedy: remedy, status: status)
  }
}
