public import Upload

/// Settings and hooks for the daemon's pulled definitions.
public struct DaemonDefinitions: Sendable {
  /// The set that the daemon's first plan was made from; `nil` for none.
  public var content: String?
  /// Throws the fault of a set that must not be used.
  public var check: @Sendable ([UInt8]) throws(DefinitionsPull.Fault) -> Void
  /// Makes the daemon adopt a plan made from the set in the store.
  public var apply: @Sendable () -> Void
  /// The definitions source of a destination; `nil` if it can have none.
  public var source: @Sendable (DestinationSettings) throws -> (any DefinitionsSource)?

  /// Reads definitions from the store's destinations.
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
