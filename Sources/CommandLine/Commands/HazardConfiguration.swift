internal import Values

/// What `footbridge hazard` was asked to do.
public struct HazardConfiguration: Hashable, Sendable {
  /// The session, as it was written.
  public var session = ""
  /// The hazards to report.
  public var hazards: [HazardRequest] = []
  /// When they were met; `nil` for now, or the session's end.
  public var moment: Moment?
  /// Whether the session's hazards are told as JSON instead of a table.
  public var reportsJSON = false
  /// Where the session is.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<HazardConfiguration>] = [
    .moment(
      "at",
      help: "when it was met, in seconds since the start, as 1:20 or as "
        + "2026-05-04T09:30:00Z (default: now; once the session is over its own time, or the end)",
      sets: \.moment),
    .flag("json", help: "print the session's hazards as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<HazardConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "hazard", summary: "report a hazard of a session, or change one",
        discussion: """
          Notes a hazard on the route, and how bad it was: 0 (nothing), 1, 2 or 3. While the \
          session is being recorded, the hazard gets the current time and place, later the \
          session's end, or those of the time that --at names. Run it again to change the \
          intensity: during the recording the hazard moves to the current time and place, later it \
          keeps its own. Every report stays among the session's events.

          Usual names are Change in Floor Levels, Uneven Surface, Debris or Obstacles, Slippery, \
          Slope and Poor Lighting; the beginning of a name is enough if only one name has it. \
          Other names are allowed.

          Example: footbridge hazard last Slippery=2 'Low branch=1'

          Example: footbridge hazard last Slope=3 --at 12:40
          """,
        initial: { HazardConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.session(sets: \.session), .hazards(adds: \.hazards)], body: body))
  }
}
