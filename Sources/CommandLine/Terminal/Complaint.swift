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
