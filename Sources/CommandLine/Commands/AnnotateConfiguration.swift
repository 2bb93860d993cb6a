internal import Values

/// What `footbridge annotate` was asked to do.
public struct AnnotateConfiguration: Hashable, Sendable {
  /// The session, as it was written.
  public var session = ""
  /// The remark.
  public var text = ""
  /// The instant that it speaks of; `nil` for now, or the session's end.
  public var moment: Moment?
  /// Whether the annotation is told as JSON instead of text.
  public var reportsJSON = false
  /// Where the session is.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<AnnotateConfiguration>] = [
    .moment(
      "at",
      help: "the time it refers to, in seconds since the start, as 1:20 or as "
        + "2026-05-04T09:30:00Z (default: now, or the end if it is over)", sets: \.moment),
    .flag("json", help: "print the annotation as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<AnnotateConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "annotate", summary: "add a remark to a session",
        discussion: """
          Adds a remark to one moment of a session, even while it is being recorded.

          Example: footbridge annotate last 'stopped at the traffic light' --at 1:35
          """,
        initial: { AnnotateConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.session(sets: \.session), .text("TEXT", sets: \.text)], body: body))
  }
}
