/// `footbridge help`: the list of commands, or the help of one.
struct HelpCommand: Verb {
  /// Name of a command; `nil` for the overview.
  var command: String?

  static let definition = CommandDefinition<HelpCommand>(
    name: "help", summary: "explain a command",
    discussion: "Shows the help of COMMAND, or the list of commands.",
    initial: { _ in HelpCommand() },
    operands: [.optional(.unchecked("COMMAND", .command), sets: \.command)])

  func run(_ console: Console) async throws -> ExitStatus {
    let text =
      if let command {
        try HelpText.command(Footbridge.find(command, among: Commands.all))
      } else {
        HelpText.overview(of: Commands.all)
      }
    try console.print(text)
    return .ok
  }
}
