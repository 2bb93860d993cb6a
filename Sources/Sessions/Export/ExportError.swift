internal import LinuxSystem
public import Values

/// A file that could not be written: the failure, the file and the remedy.
public struct ExportError: Remediable, Hashable {
  /// The failure in one line: the operation, its object and the reason.
  public var message: String
  /// The remedy, for a person.
  public var remedy: String

  /// An error with the given parts.
  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// A refusal to write a file.
  init(_ refusal: OutputRefusal) {
    self.init(refusal.message, remedy: refusal.remedy)
  }
}
