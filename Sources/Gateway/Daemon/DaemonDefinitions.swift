public import Upload

/// How a daemon deals with pulled definitions.
public struct DaemonDefinitions: Sendable {
  /// The set that the daemon's first plan was made with; `nil` for none.
  public var content: String?
  /// Throws the fault of a set that must not be used.
  public var check: @Sendable ([UInt8]) throws(DefinitionsPull.Fault) -> Void
  /// Has the daemon take a plan that was made with the set in the store.
  public var apply: @Sendable () -> Void
  /// The way to the definitions of a destination.
  public var source: @Sendable (DestinationSettings) throws -> (any DefinitionsSource)?

  /// Definitions from the destinations of the store.
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
