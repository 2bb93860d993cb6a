internal import LinuxSystem

/// A file that could not be written: what failed, on which file, and what to do.
public struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed, on what, and why; one line.
  public var message: String
  /// What a person can do about it.
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

  /// Message and, on an indented second line, remedy.
  public var description: String { "\(message)\n       \(remedy)" }
}
