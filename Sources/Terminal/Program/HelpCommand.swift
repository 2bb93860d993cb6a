/// `footbridge help`: shows the list of commands, or the help for one command.
public struct HelpCommand<Program: CommandProgram>: Verb {
  /// The command to show help for; `nil` for the list of commands.
  var command: String?
  var isManual = false

  /// The definition is computed because its help contains the program's name.
  public static var definition: CommandDefinition<Self> {
    CommandDefinition<Self>(
      name: "help", summary: "explain a command",
      discussion: """
        Shows the help of COMMAND, or the list of commands.

        With --manual, prints the manual page for 'man', even if no package has installed it.

        Example: \(Program.name) help --manual receive | man -l -
        """,
      initial: { _ in HelpCommand() },
      options: [
        .flag("manual", help: "print the manual page, for 'man -l -'", sets: \.isManual)
      ],
      operands: [.optional(.unchecked("COMMAND", .command), sets: \.command)])
  }

  public func run(_ console: Console) async throws -> ExitStatus {
    let text =
      if let command {
        try text(of: Program.find(command, among: Program.all))
      } else if isManual {
        CommandManual.overview(of: Program.self)
      } else {
        HelpText.overview(of: Program.self)
      }
    try console.print(text)
    return .ok
  }

  private func text(of command: Command) -> String {
    isManual ? CommandManual.page(for: command, of: Program.self) : HelpText.command(command)
  }
}
