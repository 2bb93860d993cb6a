internal import Values

/// The manual pages of a program, PROGRAM(1) and PROGRAM-COMMAND(1), generated from the same lists
/// that the parser reads.
enum CommandManual {
  static func overview(of program: any CommandProgram.Type) -> String {
    let others = program.seeAlso(nil)
    let listed = program.all.filter(\.isListed)
    let lines =
      ManualText.title(ManualPage(program.name, section: 1), of: program)
      + ManualText.name(program.name, program.purpose)
      + ManualText.section(
        "SYNOPSIS", [ManualText.bold(program.name) + " " + ManualText.escaped(HelpText.operands)]
      )
      + ManualText.section("DESCRIPTION", ManualText.paragraph(program.introduction))
      + ManualText.section(
        "COMMANDS",
        listed.flatMap {
          ManualText.item(ManualText.reference(page(of: $0)), $0.summary)
        }
      )
      + ManualText.section("OPTIONS", items(ProgramConfiguration.options.map(\.description)))
      + ManualText.section(
        "EXIT STATUS",
        program.statuses.flatMap {
          ManualText.item(ManualText.bold("\($0.rawValue)"), $0.meaning)
        })
      + (environment(of: listed).isEmpty
        ? [] : ManualText.section("ENVIRONMENT", environment(of: listed)))
      + (others.isEmpty
        ? [] : ManualText.section("SEE ALSO", [ManualText.references(others)]))
    return lines.joined(separator: "\n")
  }

  static func page(for command: Command, of program: any CommandProgram.Type) -> String {
    let texts = command.discussion.split(at: "\n\n").map(String.init)
    let examples = texts.filter { $0.hasPrefix(example) }.map { $0.dropFirst(example.count) }
    let common = CommonConfiguration.options.map(\.description)
    let lines =
      ManualText.title(page(of: command), of: program)
      + ManualText.name(page(of: command).name, command.summary)
      + ManualText.section("SYNOPSIS", [synopsis(of: command)])
      + ManualText.section(
        "DESCRIPTION", ManualText.paragraphs(texts.filter { !$0.hasPrefix(example) }))
      + ManualText.section("OPTIONS", items(command.options + common))
      + (examples.isEmpty
        ? [] : ManualText.section("EXAMPLES", ManualText.verbatim(examples.map(String.init))))
      + ManualText.section(
        "SEE ALSO",
        [
          ManualText.references(
            [ManualPage(program.name, section: 1)] + program.seeAlso(command))
        ])
    return lines.joined(separator: "\n")
  }

  private static func page(of command: Command) -> ManualPage {
    ManualPage(command.call.replacing(" ", by: "-"), section: 1)
  }

  /// The prefix of a paragraph that shows an example.
  private static let example = "Example: "

  private static func synopsis(of command: Command) -> String {
    // Lines must not be broken at spaces inside the brackets.
    let parts = HelpText.usageParts(of: command).map {
      ManualText.escaped($0).split(separator: " ").joined(separator: "\\ ")
    }
    return ([ManualText.bold(command.call)] + parts).joined(separator: " ")
  }

  private static func items(_ options: [OptionDescription]) -> [String] {
    options.flatMap { option in
      let short = option.short.map { ManualText.bold("-\($0)") + ", " } ?? ""
      let argument = option.argument.map { " " + ManualText.italic($0.metavariable) } ?? ""
      return ManualText.item(
        short + ManualText.bold(option.spelling) + argument,
        ([option.help] + HelpText.notes(option)).joined(separator: " "))
    }
  }

  /// Returns each environment variable once, together with the option that it replaces.
  private static func environment(of commands: [Command]) -> [String] {
    var told: Set<String> = []
    return commands.flatMap(\.options).flatMap { option -> [String] in
      guard let variable = option.environmentVariable, told.insert(variable).inserted else {
        return []
      }
      return ManualText.item(
        ManualText.bold(variable), "replaces \(option.usage): \(option.help)")
    }
  }
}
