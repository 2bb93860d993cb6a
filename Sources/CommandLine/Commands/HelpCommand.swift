/// `footbridge help`: the list of commands, or the help of one.
struct HelpCommand: Verb {
  /// Name of a command; `nil` for the overview.
  var command: String?
  /// Whether the text is a manual page.
  var isManual = false

  static let definition = CommandDefinition<HelpCommand>(
    name: "help", summary: "explain a command",
    discussion: """
      Shows the help of COMMAND, or the list of commands.

      With --manual it prints the manual page for 'man', also where no package has installed it.

      Example: footbridge help --manual record | man -l -
      """,
    initial: { _ in HelpCommand() },
    options: [
      .flag("manual", help: "print the manual page, for 'man -l -'", sets: \.isManual)
    ],
    operands: [.optional(.unchecked("COMMAND", .command), sets: \.command)])

  func run(_ console: Console) async throws -> ExitStatus {
    let text =
      if let command {
        try text(of: Footbridge.find(command, among: Commands.all))
      } else if isManual {
        CommandManual.overview(of: Commands.all)
      } else {
        HelpText.overview(of: Commands.all)
      }
    try console.print(text)
    return .ok
  }

  private func text(of command: Command) -> String {
    isManual ? CommandManual.page(for: command) : HelpText.command(command)
  }
}
