public import Values

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
        name: "identify", summary: "make a board blink or vibrate, so you can tell which one it is",
        discussion: """
          Connects to the board and makes it blink for ten seconds. With --haptic it vibrates for \
          one second instead, if it has a motor. Whatever the board was doing continues, except a \
          pattern on its LED.
          """,
        initial: { IdentifyConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.board(sets: \.board)], body: body))
  }
}
