internal import Values

/// What `footbridge session` was asked to do.
public struct SessionConfiguration: Hashable, Sendable {
  /// What can be done with a session by this command.
  public enum Action: String, CaseIterable, Hashable, Sendable {
    /// Correct the wearer and note of a session, and the names and placements of its boards.
    case edit
  }

  /// What to do.
  public var action = Action.edit
  /// The session, as it was written.
  public var session = ""
  /// Who wore the boards; `nil` to leave it as it is.
  public var wearer: String?
  /// The remark on the session; `nil` to leave it as it is.
  public var note: String?
  /// Where boards were worn.
  public var placements: [BoardText] = []
  /// What boards are called.
  public var names: [BoardText] = []
  /// Boards that get each other's name and placement.
  public var swaps: [BoardPair] = []
  /// Whether the edits are told as JSON instead of text.
  public var reportsJSON = false
  /// Where the session is.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<SessionConfiguration>] = [
    .text("wearer", "TEXT", help: "who wore the boards", sets: \.wearer),
    .text("note", "TEXT", help: "the remark on the session", sets: \.note),
    .boardTexts(
      "placement",
      help: "where a board was worn, as in left='left ankle'; may be given for each of several",
      adds: \.placements),
    .boardNames(
      "name", help: "what a board is called; may be given for each of several", adds: \.names),
    .boardPairs(
      "swap",
      help: "exchange name and placement of two boards, as in left,right; may be given for each "
        + "of several pairs", adds: \.swaps),
    .flag("json", help: "print the edits as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<SessionConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "session", summary: "correct what a session says of itself",
        discussion: """
          'footbridge session edit SESSION' corrects a session that was noted wrongly: who wore \
          the boards, the note, what a board is called, where it was worn. It does so also while \
          the session is recorded. An empty text clears a field; a board without a name goes by \
          its address. 'footbridge sessions' lists sessions.

          BOARD is the address of a board, the name it has in the session, or the beginning of \
          either. Samples stay with the address of their board: exports, 'show' and the next \
          upload have the new names. The known boards stay as they are.

          Every edit is kept among the session's events, with the former text.

          Example: footbridge session edit last --swap left,right --wearer P07
          """,
        initial: { SessionConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.word("edit", sets: \.action), .session(sets: \.session)], body: body))
  }
}
