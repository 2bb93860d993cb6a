internal import Values

/// What `footbridge show` was asked to do.
public struct ShowConfiguration: Hashable, Sendable {
  /// The session, as it was written.
  public var session = ""
  /// Whether each chunk is listed.
  public var listsChunks = false
  /// Whether it is told as JSON instead of text.
  public var reportsJSON = false
  /// Where the session is.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<ShowConfiguration>] = [
    .flag("chunks", help: "read every chunk and list it too", sets: \.listsChunks),
    .flag("json", help: "print it as JSON", sets: \.reportsJSON), .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<ShowConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "show", summary: "show what is stored of a session",
        discussion: """
          Shows a session: its length and path, its boards and where they were worn, what each \
          stream was asked for and achieved, what is lost and why, hazards, annotations and \
          events. SESSION is an id from 'footbridge sessions', the \
          beginning of one, or 'last'; it may still be recorded.
          """,
        initial: { ShowConfiguration(store: StoreLocation(environment: $0)) },
        options: options, operands: [.session(sets: \.session)], body: body))
  }
}
