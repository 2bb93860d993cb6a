/// Why something that was received is not what it should be.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where in it, as in `streams[2].chunks[0].id`; empty for all of it.
  public var path: String
  /// What is wrong there, in a few words.
  public var reason: String

  /// An error at a place.
  public init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// Place and reason.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
