internal import Values

/// What `footbridge sensors` was asked to do.
public struct SensorsConfiguration: Hashable, Sendable {
  /// The model whose sensors are listed.
  public var board = KnownBoard.metaMotionS
  /// Whether the list is JSON instead of text.
  public var reportsJSON = false

  /// The defaults.
  public init() {}

  /// Its options, in the order of the help.
  public static let options: [Option<SensorsConfiguration>] = [
    .word(
      "board", "MODEL", default: SensorsConfiguration().board,
      help: "the model: " + KnownBoard.words,
      sets: \.board),
    .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
  ]

  static func command(body: @escaping Commands.Body<SensorsConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "sensors", summary: "list what a model of board can record",
        discussion: """
          Lists the signals of a model with their units, the rates and ranges of its chips, and \
          the layouts in which they can be sent: what 'footbridge record --sensor' takes. A board \
          itself is asked when it is recorded; its firmware may differ.
          """,
        initial: { _ in SensorsConfiguration() }, options: options, body: body))
  }
}
