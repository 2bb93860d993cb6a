public import LinuxSystem

/// Why the paired devices cannot be read or kept. Nobody is paired while they cannot be read.
public enum DeviceFileFault: Error, Hashable, Sendable {
  /// The file cannot be read, locked or written.
  case failed(SystemError)
  /// The content is damaged, for this reason; the file now has the name `kept`, unless it could not
  /// be renamed.
  case damaged(String, kept: String?)
  /// A later version of this program wrote the file.
  case newer

  /// What failed, in one line.
  ///
  /// - Parameter path: the file.
  public func message(_ path: String) -> String {
    switch self {
    case .failed(let error): error.message
    case .damaged(let reason, _):
      "the list of paired browsers in \(path) is damaged, and nobody is paired: \(reason)"
    case .newer:
      "a later version of footbridge wrote \(path), and nobody is paired"
    }
  }

  /// What to do about it.
  ///
  /// - Parameter path: the file.
  public func remedy(_ path: String) -> String {
    switch self {
    case .failed(let error):
      error.remedy.isEmpty ? "see that the user of the gateway may write \(path)" : error.remedy
    case .damaged(_, let kept):
      "pair the browsers again with: footbridge web pair"
        + (kept.map { "; the damaged file is now \($0)" } ?? "")
    case .newer: "use that version, or delete the file and pair the browsers again"
    }
  }
}
