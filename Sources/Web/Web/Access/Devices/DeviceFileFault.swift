public import LinuxSystem

/// The reason the list of paired devices cannot be read or saved. While the list cannot be read, no
/// device is paired.
public enum DeviceFileFault: Error, Hashable, Sendable {
  /// The file cannot be read, locked or written.
  case failed(SystemError)
  /// The content is damaged, for the reason given. `kept` is the path to which the file was
  /// renamed, or `nil` if renaming failed.
  case damaged(String, kept: String?)
  /// A later version of this program wrote the file.
  case newer

  /// Returns a description of the failure, on one line.
  public func message(_ path: String) -> String {
    switch self {
    case .failed(let error): error.message
    case .damaged(let reason, _):
      "the list of paired browsers in \(path) is damaged, so no browser is paired: \(reason)"
    case .newer:
      "a later version of footbridge wrote \(path), so no browser is paired"
    }
  }

  public func remedy(_ path: String) -> String {
    switch self {
    case .failed(let error):
      error.remedy.isEmpty ? "check that the gateway's user may write \(path)" : error.remedy
    case .damaged(_, let kept):
      "pair the browsers again with: footbridge web pair"
        + (kept.map { "; the damaged file was renamed to \($0)" } ?? "")
    case .newer: "use that version, or delete the file and pair the browsers again"
    }
  }
}
