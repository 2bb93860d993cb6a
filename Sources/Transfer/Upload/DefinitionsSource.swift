/// A destination's response to a request for definitions.
public enum FetchedDefinitions: Hashable, Sendable {
  /// The destination sent a set of definitions, and possibly an entity tag. The content has not
  /// been checked yet.
  case found([UInt8], tag: String?)
  /// The definitions have not changed: their entity tag still equals the one in the request.
  case unchanged
  /// The destination has no definitions for this gateway, and sent this message.
  case none(String)
}

/// A destination from which definitions can be fetched.
public protocol DefinitionsSource: Sendable {
  /// Requests the definitions for this gateway.
  ///
  /// - Parameter tag: the entity tag of the set that the gateway already has; `nil` if it has none.
  func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions
}
