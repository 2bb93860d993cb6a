internal import Values

/// What `footbridge boards` was asked to do.
public struct BoardsConfiguration: Hashable, Sendable {
  /// What can be done with the list besides showing it.
  public enum Action: String, CaseIterable, Hashable, Sendable {
    /// Change a board's name or placement.
    case set
  }

  /// What to do; `nil` to show the list.
  public var action: Action?
  /// The board to change, as it was written.
  public var board: String?
  /// Its new name.
  public var name: String?
  /// Its new placement.
  public var placement: String?
  /// Whether the list is JSON instead of a table.
  public var reportsJSON = false
  /// Where the boards are kept.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<BoardsConfiguration>] = [
    .boardName("name", help: "with set: the new name of the board", sets: \.name),
    .text(
      "placement", "TEXT", help: "with set: where the board is worn; '' clears it",
      sets: \.placement),
    .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<BoardsConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "boards", summary: "list the known boards, rename one or change its placement",
        discussion: """
          Lists the boards that were made known with 'footbridge pair', with their names, where \
          they are worn, and when they were last connected (universal time).

          'footbridge boards set BOARD' changes --name, --placement or both.

          Example: footbridge boards set left --name 'left wrist'
          """,
        initial: { BoardsConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [
          .optionalWord("set", sets: \.action), .optional(Argument("BOARD", .board), sets: \.board),
        ], body: body))
  }
}
