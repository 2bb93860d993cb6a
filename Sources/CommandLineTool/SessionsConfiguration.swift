/// What `footbridge sessions` was asked to do.
public struct SessionsConfiguration: Hashable, Sendable {
  /// Whether the list is JSON instead of a table.
  public var reportsJSON = false
  /// Where the sessions are.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<SessionsConfiguration>] = [
    .flag("json", help: "print the list as JSON", sets: \.reportsJSON), .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<SessionsConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "sessions", summary: "list what was recorded",
        discussion: """
          Lists the sessions of the store, the newest last: when each began (universal time), how \
          long it is, what is stored and lost, and how it ended. 'recovered' is one whose recorder \
          was cut off, by a power cut say; what was stored of it until then is whole.
          """,
        initial: { SessionsConfiguration(store: StoreLocation(environment: $0)) },
        options: options, body: body))
  }
}
