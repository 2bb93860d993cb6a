public import Values

/// What `footbridge pair` was asked to do.
public struct PairConfiguration: Hashable, Sendable {
  /// The board, as it was written.
  public var board = ""
  /// What it is to be called; `nil` to keep the name it has, or to take the usual one.
  public var name: String?
  /// Where it is worn; `nil` to keep what is known.
  public var placement: String?
  /// Whether to bond although the board does not demand it.
  public var bonds = false
  /// Whether the result is JSON instead of text.
  public var reportsJSON = false
  /// Bluetooth adapters to use; all that are on if there is none.
  public var adapters: [BoardAddress] = []
  /// Where the boards are kept.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<PairConfiguration>] = [
    .boardName(
      "name",
      help: "the name of the board (default: its advertised name and the end of its address)",
      sets: \.name),
    .text(
      "placement", "TEXT", help: "where the board is worn, as in 'left wrist'", sets: \.placement),
    .flag(
      "bond", help: "exchange keys too (default: only if the board demands it)",
      sets: \.bonds),
    .flag("json", help: "print what the board said as JSON", sets: \.reportsJSON),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<PairConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "pair", summary: "make a board known, and show what it is",
        discussion: """
          Connects to the board, asks for model, firmware, modules and battery, and blinks its \
          LED. From now on every command accepts the board's name, and the Bluetooth service \
          remembers the board. Whatever the board was doing continues.

          Needed once for each board. Run it again to rename the board, or after an update of its \
          firmware.
          """,
        initial: { PairConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.board(sets: \.board)], body: body))
  }
}
