/// What a shell wants to complete to the name or the address of a board.
public struct CompleteBoardsConfiguration: Hashable, Sendable {
  /// What is typed already.
  public var prefix: String?
  /// Where the boards are kept.
  public var store: StoreLocation

  /// Nothing typed yet, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// The command that completion scripts ask; people have 'footbridge boards'.
  static func command(body: @escaping Commands.Body<CompleteBoardsConfiguration>) -> Command {
    var definition = CommandDefinition(
      name: "complete-boards", summary: "list what a shell may complete to a board",
      discussion: """
        Lists the names and addresses of the known boards that begin with PREFIX, a line for each.
        """,
      initial: { CompleteBoardsConfiguration(store: StoreLocation(environment: $0)) },
      operands: [.optional(Argument("PREFIX", .text), sets: \.prefix)], body: body)
    definition.isListed = false
    return Command(definition)
  }
}
