/// What `footbridge annotate` was asked to do.
public struct AnnotateConfiguration: Hashable, Sendable {
  /// The session, as it was written.
  public var session = ""
  /// The remark.
  public var text = ""
  /// Seconds after the session's start that it speaks of; `nil` for now, or the session's end.
  public var seconds: Double?
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
    .number(
      "at", "SECONDS", above: 0, upTo: 31_536_000,
      help: "seconds after the session's start that it speaks of "
        + "(default: now, or the end if it is over)", sets: \.seconds),
    .flag("json", help: "print the annotation as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<AnnotateConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "annotate", summary: "add a remark to a session",
        discussion: """
          Notes a remark on one instant of a session, also while it is recorded.

          Example: footbridge annotate last 'stopped at the traffic light' --at 95
          """,
        initial: { AnnotateConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.session(sets: \.session), .text("TEXT", sets: \.text)], body: body))
  }
}
