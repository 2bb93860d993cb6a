internal import CLinux

/// The process's environment at startup.
public enum Environment {
  public static let variables: [String: String] = {
    var variables: [String: String] = [:]
    // Safety: the environment is read only once, before anything in this process could have changed
    // it.
    guard var entry = unsafe clinux_environment() else { return variables }
    while let text = unsafe entry.pointee {
      let parts = unsafe String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      unsafe entry += 1
    }
    return variables
  }()
}
