internal import Values

/// What `footbridge sessions` was asked to do.
public struct SessionsConfiguration: Hashable, Sendable {
  /// Whether the list is JSON instead of a table.
  public var reportsJSON = false
  /// How many of the newest are listed, if that was said.
  public var newest: Int?
  /// Whether all are listed.
  public var showsAll = false
  /// Where the sessions are.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<SessionsConfiguration>] = [
    .wholeNumber(
      "newest", "N", in: 1...1_000_000,
      help: "list the newest N sessions (default: \(SessionsRun.usualCount); all with --json)",
      sets: \.newest),
    .flag("all", excludes: ["newest"], help: "list all sessions", sets: \.showsAll, to: true),
    .flag("json", help: "print the list as JSON", sets: \.reportsJSON), .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<SessionsConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "sessions", summary: "list what was recorded",
        discussion: """
          Lists the newest sessions of the store, the newest last: when each began (universal time), how \
          long it is, how many samples are stored and lost, and how it ended. 'recovered' is one \
          whose recorder was cut off, by a power cut say; what was stored of it until then is whole.
          """,
        initial: { SessionsConfiguration(store: StoreLocation(environment: $0)) },
        options: options, body: body))
  }
}
