public import Values

/// What `footbridge reset` was asked to do.
public struct ResetConfiguration: Hashable, Sendable {
  /// The board, as it was written.
  public var board = ""
  /// Bluetooth adapters to use; all that are on if there is none.
  public var adapters: [BoardAddress] = []
  /// Where the names of boards are.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<ResetConfiguration>] = [
    .adapters(adds: \.adapters), .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<ResetConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "reset", summary: "restart a board",
        discussion: """
          Restarts the board. It forgets what any software set up on it (streams, timers, \
          events, processors); its log and its macros stay.
          """,
        initial: { ResetConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.board(sets: \.board)], body: body))
  }
}
