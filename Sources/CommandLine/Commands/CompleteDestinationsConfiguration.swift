/// What a shell wants to complete to the name of a destination.
public struct CompleteDestinationsConfiguration: Hashable, Sendable {
  /// What is typed already.
  public var prefix: String?
  /// Where the destinations are kept.
  public var store: StoreLocation

  /// Nothing typed yet, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// The command that completion scripts ask; people have 'footbridge destination list'.
  static func command(
    body: @escaping Commands.Body<CompleteDestinationsConfiguration>
  ) -> Command {
    var definition = CommandDefinition(
      name: "complete-destinations", summary: "list what a shell may complete to a destination",
      discussion: """
        Lists the names of the destinations that begin with PREFIX, a line for each.
        """,
      initial: { CompleteDestinationsConfiguration(store: StoreLocation(environment: $0)) },
      operands: [.optional(Argument("PREFIX", .text), sets: \.prefix)], body: body)
    definition.isListed = false
    return Command(definition)
  }
}
