/// A destination's answer to the question for definitions.
public enum FetchedDefinitions: Hashable, Sendable {
  /// A set, with the destination's mark for this state of it, if it gave one. Nothing in the set is
  /// checked yet.
  case found([UInt8], tag: String?)
  /// The set is the one with the mark that was given.
  case unchanged
  /// The destination has no definitions for this gateway; its words.
  case none(String)
}

/// A destination from which definitions can be pulled.
public protocol DefinitionsSource: Sendable {
  /// Asks for the definitions of this gateway.
  ///
  /// - Parameter tag: the mark of the known set; `nil` where none is known.
  func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions
}
