public import Upload

/// The daemon's settings and callbacks for pulled definitions.
public struct DaemonDefinitions: Sendable {
  /// The definitions used for the daemon's first plan, or `nil` if the store contains none.
  public var content: String?
  /// Throws if the definitions are invalid.
  public var check: @Sendable ([UInt8]) throws(DefinitionsPull.Fault) -> Void
  /// Makes the daemon switch to a plan based on the definitions in the store.
  public var apply: @Sendable () -> Void
  /// Returns a destination's source of definitions, or `nil` if that kind of destination has none.
  public var source: @Sendable (DestinationSettings) throws -> (any DefinitionsSource)?

  public init(
    content: String?, agent: String,
    check: @escaping @Sendable ([UInt8]) throws(DefinitionsPull.Fault) -> Void,
    apply: @escaping @Sendable () -> Void
  ) {
    self.content = content
    self.check = check
    self.apply = apply
    source = { try DestinationFactory.definitions($0, agent: agent) }
  }
}
