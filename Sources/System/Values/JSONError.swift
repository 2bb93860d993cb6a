/// The reason a received value is invalid.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The invalid value's path, such as `streams[2].chunks[0].id`; empty for the whole document.
  public var path: String
  public var reason: String

  public init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
