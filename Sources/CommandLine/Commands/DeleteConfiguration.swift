internal import Values

/// What `footbridge delete` was asked to do.
public struct DeleteConfiguration: Hashable, Sendable {
  /// The session, as it was written.
  public var session = ""
  /// Whether it is deleted without a question.
  public var isSure = false
  /// Whether what was deleted is told as JSON instead of text.
  public var reportsJSON = false
  /// Where the session is.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<DeleteConfiguration>] = [
    .flag("yes", help: "do not ask", sets: \.isSure),
    .flag("json", help: "print what was deleted as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<DeleteConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "delete", summary: "delete a session for good",
        discussion: """
          Deletes a session with its samples, positions and notes, after asking you to confirm \
          with yes. Not possible while the store is recorded into. The file keeps its size, and \
          later sessions use the freed space; 'footbridge store compact' gives it back to the \
          disk.
          """,
        initial: { DeleteConfiguration(store: StoreLocation(environment: $0)) },
        options: options, operands: [.session(sets: \.session)], body: body))
  }
}
