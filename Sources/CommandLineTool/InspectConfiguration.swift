/// What `footbridge inspect` was asked to do.
public struct InspectConfiguration: Hashable, Sendable {
  /// What is spoken in the capture.
  public enum Format: String, CaseIterable, Hashable, Sendable {
    /// Packets of MetaWear boards.
    case metawear
  }

  /// What is spoken.
  public var format = Format.metawear
  /// The model of all boards in the capture, if it was named.
  public var board: KnownBoard?
  /// Whether explanations are JSON instead of text.
  public var reportsJSON = false
  /// The capture; standard input if there is none.
  public var file: String?
  /// Whether a terminal may get colours.
  public var allowsColour = true

  /// The defaults.
  public init() {}

  /// Its options, in the order of the help.
  public static let options: [Option<InspectConfiguration>] = [
    .word(
      "board", "MODEL",
      help: "take chips and revisions from this model where the capture does not tell them: "
        + KnownBoard.words,
      sets: \.board),
    .flag("json", help: "print one JSON object per packet and line", sets: \.reportsJSON),
  ]

  static func command(
    body: @escaping @Sendable (InspectConfiguration, Console) async throws -> ExitStatus
  ) -> Command {
    Command(
      CommandDefinition(
        name: "inspect", summary: "explain the packets of a capture",
        discussion: """
          Explains commands and notifications of MetaWear boards, each as soon as it has been \
          read from FILE or standard input. Knows hexadecimal lines, what btmon prints, and \
          btsnoop files (btmon -w).

          A hexadecimal line may begin with a time and an arrow: > is host to board, < is board \
          to host. Without an arrow, the way is the one in which the packet means something, and \
          a command where both do. What follows a # is a comment.

          Example: echo '> 03 03 a8 02' | footbridge inspect metawear --board S
          """,
        initial: { environment in
          var configuration = InspectConfiguration()
          configuration.allowsColour = environment["NO_COLOR", default: ""].isEmpty
          return configuration
        },
        options: options,
        operands: [
          .word("metawear", sets: \.format), .optional(Argument("FILE", .file), sets: \.file),
        ],
        body: body))
  }
}
