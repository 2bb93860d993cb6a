/// The reason why a received value is invalid.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Path of the value, as in `streams[2].chunks[0].id`; empty for the whole text.
  public var path: String
  /// The fault, in a few words.
  public var reason: String

  public init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}
