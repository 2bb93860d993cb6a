public import Values

/// What `footbridge inspect` was asked to do.
public struct InspectConfiguration: Hashable, Sendable {
  /// What is spoken in the capture.
  public enum Format: String, CaseIterable, Hashable, Sendable {
    /// Packets of MetaWear boards.
    case metawear
    /// Sentences of positioning receivers.
    case nmea
  }

  /// What is spoken.
  public var format = Format.metawear
  /// The model of all boards in the capture, if it was named.
  public var board: KnownBoard?
  /// Dates before it are taken for a wrapped week; `nil` to leave them as they are.
  public var floor: UTCTime?
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
    .date(
      "not-before",
      help: "take dates of a receiver before this one for a wrapped week, and add 1,024 weeks "
        + "until they are not",
      sets: \.floor),
    .flag("json", help: "print one JSON object per packet or fix and line", sets: \.reportsJSON),
  ]

  /// Refuses options that say nothing about the format.
  func check() throws(Complaint) {
    if format == .nmea, board != nil {
      throw .usage(
        "'--board' does not apply to 'nmea'", remedy: "leave it out", command: Self.command)
    }
    if format == .metawear, floor != nil {
      throw .usage(
        "'--not-before' does not apply to 'metawear'", remedy: "leave it out",
        command: Self.command)
    }
  }

  private static let command = "\(Version.program) inspect"

  static func command(
    body: @escaping @Sendable (InspectConfiguration, Console) async throws -> ExitStatus
  ) -> Command {
    Command(
      CommandDefinition(
        name: "inspect", summary: "explain a capture of a board or a receiver",
        discussion: """
          metawear explains commands and notifications of MetaWear boards, each as soon as it \
          has been read from FILE or standard input. Knows hexadecimal lines, what btmon prints, \
          and btsnoop files (btmon -w).

          A hexadecimal line may begin with a time and an arrow: > is host to board, < is board \
          to host. Without an arrow, the way is the one in which the packet means something, and \
          a command where both do. What follows a # is a comment.

          nmea reads the sentences of a positioning receiver and prints one line for each of \
          its fixes, none for a moment without a fix or a date. What was refused is counted by \
          reason on standard error.

          Example: echo '> 03 03 a8 02' | footbridge inspect metawear --board S
          """,
        initial: { environment in
          var configuration = InspectConfiguration()
          configuration.allowsColour = environment["NO_COLOR", default: ""].isEmpty
          return configuration
        },
        options: options,
        operands: [
          .word(Format.allCases.map(\.rawValue).joined(separator: "|"), sets: \.format),
          .optional(Argument("FILE", .file), sets: \.file),
        ],
        body: body))
  }
}
