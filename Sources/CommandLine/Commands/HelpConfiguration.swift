/// What `footbridge help` was asked about.
struct HelpConfiguration: Sendable {
  /// Name of a command; `nil` for the overview.
  var command: String?

  /// The command; it asks for the list when it runs, since it is on the list itself.
  static func command(explaining list: @escaping @Sendable () -> [Command]) -> Command {
    Command(
      CommandDefinition(
        name: "help", summary: "explain a command",
        discussion: "Shows the help of COMMAND, or the list of commands.",
        initial: { _ in HelpConfiguration() },
        operands: [.optional(Argument("COMMAND", .command), sets: \.command)],
        body: { configuration, console in
          let commands = list()
          let text =
            if let name = configuration.command {
              try HelpText.command(Footbridge.find(name, among: commands))
            } else {
              HelpText.overview(of: commands)
            }
          try console.print(text)
          return .ok
        }))
  }
}
