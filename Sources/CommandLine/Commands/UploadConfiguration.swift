internal import Values

/// What `footbridge upload` was asked to do.
public struct UploadConfiguration: Hashable, Sendable {
  /// The destinations by their names; none for all.
  public var destinations: [String] = []
  /// The sessions, as they were written; none for all.
  public var sessions: [String] = []
  /// Whether what was recorded last goes first.
  public var newestFirst = false
  /// Whether hours at which a destination is left alone do not count.
  public var ignoresHours = false
  /// Whether it is only told what would be sent.
  public var isDryRun = false
  /// Whether the outcome is JSON instead of text.
  public var reportsJSON = false
  /// Where it is sent from.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<UploadConfiguration>] = [
    .destinations(
      "destination", help: "send to this one; may be given for each of several (default: all)",
      adds: \.destinations),
    .sessions(
      "session", help: "send only this one; may be given for each of several", adds: \.sessions),
    .flag("newest-first", help: "send the newest recordings first", sets: \.newestFirst),
    .flag(
      "now", help: "send even outside the hours set for a destination",
      sets: \.ignoresHours),
    .flag("dry-run", help: "show what would be sent, and send nothing", sets: \.isDryRun),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<UploadConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "upload", summary: "send what was recorded to its destinations",
        discussion: """
          Sends every chunk that a destination does not have yet, and then the record of its \
          session. Run it as often as you like, even during a recording: what has arrived is not \
          sent again, and an interrupted upload continues where it stopped. A chunk counts as \
          sent only when the destination has confirmed it.

          Data that a destination rejects is set aside ("parked") and does not block the rest; \
          'footbridge uploads' shows it. The exit status is 6 when something is parked, and 7 \
          when a destination could not be sent to.
          """,
        initial: { UploadConfiguration(store: StoreLocation(environment: $0)) },
        options: options, body: body))
  }
}
