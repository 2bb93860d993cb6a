internal import Values

/// What `footbridge uploads` was asked to do.
public struct UploadsConfiguration: Hashable, Sendable {
  /// What can be done with uploads beside showing them.
  public enum Action: String, CaseIterable, Hashable, Sendable {
    /// Have what is parked sent once more.
    case retry
  }

  /// What to do; `nil` to show them.
  public var action: Action?
  /// The destinations by their names; none for all.
  public var destinations: [String] = []
  /// Whether the outcome is JSON instead of text.
  public var reportsJSON = false
  /// The store they are from.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<UploadsConfiguration>] = [
    .destinations(
      "destination", help: "only this one; may be given for each of several (default: all)",
      adds: \.destinations),
    .flag("json", help: "print it as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<UploadsConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "uploads", summary: "show what was sent and what waits",
        discussion: """
          Shows for each destination how much it has, how much is waiting, and what is parked: \
          data that it rejected, with its reason. 'next try' is when a destination that could \
          not be reached is tried again by itself; 'footbridge upload' tries at once.

          'footbridge uploads retry' makes the next upload send the parked data again.
          """,
        initial: { UploadsConfiguration(store: StoreLocation(environment: $0)) },
        options: options, operands: [.optionalWord("retry", sets: \.action)], body: body))
  }
}
