internal import Values

/// Generates completion scripts for shells, from the same list that the parser reads.
enum CompletionScript {
  /// A shell with programmable completion.
  enum Shell: String, CaseIterable, Hashable, Sendable {
    /// Bash, release 4.4 or later.
    case bash
    /// Zsh, with its completion system loaded.
    case zsh
    case fish
  }

  static func text(for shell: Shell, of program: any CommandProgram.Type) -> String {
    let commands = program.all
    let script =
      switch shell {
      case .bash: bash(commands, of: program.name)
      case .zsh: zsh(commands, of: program.name)
      case .fish: fish(commands, of: program.name)
      }
    return script.joined(separator: "\n")
  }

  // MARK: Common parts for Bash and Z shell

  /// Returns shell functions that find the possible words at the cursor. They set `subcommand`;
  /// `option`, the option whose value comes next; `ended`, the number of words after `--` (empty
  /// before it); and `place`, the number of operands so far. They also set `kind` and `offers`,
  /// which correspond to `Candidates`, and `value`, the part of the word to complete.
  static func common(_ commands: [Command], of program: String) -> [String] {
    options(commands, of: program) + [""] + arguments(commands, of: program) + [""]
      + lines(
        """
        # Finds the position in a command line after these words.
        _\(program)_place() {
          local word
          subcommand='' option='' ended='' place=0
          for word in "$@"; do
            if [[ -n $option ]]; then
              option=''
            elif [[ -z $ended && $word == -- ]]; then
              ended=0
            elif [[ -z $ended && $word == -?* ]]; then
              if _\(program)_argument "$subcommand $word"; then option=$word; fi
            elif [[ -z $subcommand ]]; then
              subcommand=$word
            else
              place=$((place + 1))
              if [[ -n $ended ]]; then ended=$((ended + 1)); fi
            fi
          done
        }

        # Finds the candidates at that position for a word with this prefix.
        _\(program)_offer() {
          kind='' offers=() value=$1
          if [[ -n $option ]]; then
            _\(program)_argument "$subcommand $option"
          elif [[ -z $ended && $1 == --*=* ]]; then
            value=${1#*=}
            _\(program)_argument "$subcommand ${1%%=*}"
          elif [[ -z $ended && $1 == -* ]]; then
            _\(program)_options "$subcommand"
          elif [[ -z $ended ]] || ! _\(program)_argument "$subcommand -- $((ended + 1))"; then
            _\(program)_argument "$subcommand $((place + 1))"
          fi
        }
        """)
  }

  private static func options(_ commands: [Command], of program: String) -> [String] {
    func line(_ name: String, _ options: [OptionDescription]) -> String {
      "    \(ShellText.quoted(name))) offers=(\(ShellText.list(options.map(\.spelling)))) ;;"
    }
    let common = CommonConfiguration.options.map(\.description)
    return [
      "# Sets the options of a command, or the options before any command.",
      "_\(program)_options() {", "  case $1 in",
    ]
      + [line("", ProgramConfiguration.options.map(\.description))]
      + commands.filter(\.isListed).map { line($0.name, $0.options + common) }
      + ["  esac", "}"]
  }

  private static func arguments(_ commands: [Command], of program: String) -> [String] {
    func line(_ pattern: String, _ candidates: Candidates) -> String {
      let offers = candidates.words.isEmpty ? "" : " offers=(\(ShellText.list(candidates.words)))"
      let kind = candidates.source.map { " kind=\($0.word)" } ?? ""
      return "    \(pattern))\(kind)\(offers) ;;"
    }
    let all = Argument("COMMAND", .command).candidates(among: commands)
    var lines = [
      "# Sets the kind of word after an option ('record --board'), of an operand ('pair 1'), or of a",
      "# word in a command line ('simulate -- 1').",
      "_\(program)_argument() {", "  case $1 in", line("' 1'", all),
    ]
    for command in commands where command.isListed {
      for option in command.options {
        guard let argument = option.argument else { continue }
        lines.append(
          line("'\(command.name) \(option.spelling)'", argument.candidates(among: commands)))
      }
      for (index, operand) in command.operands.enumerated() {
        guard !operand.isCommandLine else {
          let programs = operand.argument.candidates(among: commands)
          lines.append(line("'\(command.name) -- 1'", programs))
          lines.append(line("'\(command.name) -- '[0-9]*", Candidates(source: .files)))
          continue
        }
        let pattern =
          operand.isRepeatable ? "'\(command.name) '[0-9]*" : "'\(command.name) \(index + 1)'"
        lines.append(line(pattern, operand.argument.candidates(among: commands)))
      }
    }
    return lines + ["    *) return 1 ;;", "  esac", "}"]
  }

  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
