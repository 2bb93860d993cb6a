/// A destination's answer to a request for definitions.
public enum FetchedDefinitions: Hashable, Sendable {
  /// A set, with the destination's entity tag if it sent one. The content is not checked yet.
  case found([UInt8], tag: String?)
  /// The set still has the given entity tag.
  case unchanged
  /// The destination has no definitions for this gateway; contains its message.
  case none(String)
}

/// A destination from which definitions can be pulled.
public protocol DefinitionsSource: Sendable {
  /// Requests the definitions for this gateway.
  ///
  /// - Parameter tag: the entity tag of the known set; `nil` if none is known.
  func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions
}
