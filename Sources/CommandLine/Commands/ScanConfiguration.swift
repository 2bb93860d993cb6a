public import Values

/// What `footbridge scan` was asked to do.
public struct ScanConfiguration: Hashable, Sendable {
  /// Length of the scan; `nil` for the usual one.
  public var seconds: Double?
  /// Whether the result is JSON instead of a table.
  public var reportsJSON = false
  /// Bluetooth adapters to use; all that are on if there is none.
  public var adapters: [BoardAddress] = []
  /// Where the names of boards are.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Seconds of a scan without a terminal.
  static let usualSeconds = 10.0

  /// Its options, in the order of the help.
  public static let options: [Option<ScanConfiguration>] = [
    .number(
      "seconds", "N", above: 0, upTo: 86_400,
      help: "end after so many seconds (default: at Ctrl-C on a terminal, else after 10)",
      sets: \.seconds),
    .flag("json", help: "print what was heard as JSON at the end", sets: \.reportsJSON),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<ScanConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "scan", summary: "show the boards that are in reach",
        discussion: """
          Listens for advertisements and shows who was heard: boards first, then other devices. \
          On a terminal the table is kept up to date; elsewhere it is printed once, at the end.

          A board that does not appear sleeps, is out of reach, or is connected to a phone or \
          another computer: connected boards do not advertise.
          """,
        initial: { ScanConfiguration(store: StoreLocation(environment: $0)) },
        options: options, body: body))
  }
}
