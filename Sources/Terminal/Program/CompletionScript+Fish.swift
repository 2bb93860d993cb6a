extension CompletionScript {
  /// For Fish, which has one line for each option.
  static func fish(_ commands: [Command], of program: String) -> [String] {
    let listed = commands.filter(\.isListed)
    let common = CommonConfiguration.options.map(\.description)
    var lines = [
      "# Completion of \(program) in fish, made by '\(program) completion fish'.", "",
      "complete -c \(program) -f",
    ]
    for option in ProgramConfiguration.options.map(\.description) {
      let place = common.contains(option) ? nil : "__fish_use_subcommand"
      lines.append(line(option, at: place, commands, program))
    }
    for command in listed {
      lines.append(
        "complete -c \(program) -n __fish_use_subcommand -a \(command.name)"
          + " -d \(described(command.summary))")
    }
    for command in listed {
      let place = "'__fish_seen_subcommand_from \(command.name)'"
      lines += command.options.map { line($0, at: place, commands, program) }
      for operand in command.operands {
        guard let offers = offers(operand.argument.candidates(among: commands), program) else {
          continue
        }
        let place =
          operand.isCommandLine
          ? "'__fish_seen_subcommand_from \(command.name); and contains -- -- (commandline -opc)'"
          : place
        lines.append("complete -c \(program) -n \(place) \(offers)")
      }
    }
    return lines
  }

  private static func line(
    _ option: OptionDescription, at place: String?, _ commands: [Command], _ program: String
  ) -> String {
    var words = ["complete -c \(program)"]
    if let place { words.append("-n \(place)") }
    if let short = option.short { words.append("-s \(short)") }
    words.append("-l \(option.name)")
    if let argument = option.argument {
      let candidates = argument.candidates(among: commands)
      // Only files are offered beside other candidates.
      words.append(candidates.source == .files ? "-r" : "-x")
      if let offers = offers(candidates, program) { words.append(offers) }
    }
    words.append("-d \(described(option.help))")
    return words.joined(separator: " ")
  }

  private static func offers(_ candidates: Candidates, _ program: String) -> String? {
    var words: [String] = []
    switch candidates.source {
    case .asked(let kind): words.append("-a '(\(program) complete \(kind) 2>/dev/null)'")
    case .folders: words.append("-a '(__fish_complete_directories)'")
    case .programs: words.append("-F -a '(__fish_complete_command)'")
    case .files: words.append("-F")
    case nil: break
    }
    if !candidates.words.isEmpty {
      words.append("-a '\(candidates.words.joined(separator: " "))'")
    }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// A text with backslashes and single quotes escaped, for use between single quotes.
  private static func described(_ text: String) -> String {
    let escaped = text.map { "\\'".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    return "'\(escaped)'"
  }
}
