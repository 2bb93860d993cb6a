public import Recording

/// What `footbridge identify` was asked to do.
public struct IdentifyConfiguration: Hashable, Sendable {
  /// The board, as it was written.
  public var board = ""
  /// Whether it is to be felt instead of seen.
  public var vibrates = false
  /// Bluetooth adapters to use; all that are on if there is none.
  public var adapters: [BoardAddress] = []
  /// Where the names of boards are.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<IdentifyConfiguration>] = [
    .flag("haptic", help: "run its vibration motor instead of its LED", sets: \.vibrates),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<IdentifyConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "identify", summary: "let a board blink or vibrate, to tell which it is",
        discussion: """
          Connects to the board and lets it blink for ten seconds, or vibrate for one, if a motor \
          is built in. What the board was doing goes on, but for a pattern its LED showed.
          """,
        initial: { IdentifyConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.board(sets: \.board)], body: body))
  }
}
