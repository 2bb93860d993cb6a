/// What `footbridge forget` was asked to do.
public struct ForgetConfiguration: Hashable, Sendable {
  /// The board, as it was written.
  public var board = ""
  /// Where the boards are kept.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<ForgetConfiguration>] = [.store(sets: \.store)]

  static func command(body: @escaping Commands.Body<ForgetConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "forget", summary: "remove a board from the known ones",
        discussion: """
          Removes the board from the store's list and from the Bluetooth service, with its keys if \
          it was bonded. Its recordings stay. The board itself need not be in reach.
          """,
        initial: { ForgetConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.board(sets: \.board)], body: body))
  }
}
