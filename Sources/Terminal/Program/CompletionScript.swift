internal import Values

/// Completion scripts for shells, made from the same list as the parser.
enum CompletionScript {
  /// A shell with programmable completion.
  enum Shell: String, CaseIterable, Hashable, Sendable {
    /// Bash, from 4.4 on.
    case bash
    /// Z shell with its completion system.
    case zsh
    case fish
  }

  /// The script that `completion` prints.
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

  /// Functions that find the possible words for a place. They set `subcommand`; `option`, which
  /// waits for its value; `ended`, the number of words after `--`, empty before it; and `place`,
  /// the operands so far. They also set `kind` and `offers`, which are the `Candidates`, and
  /// `value`, the part of the word to complete.
  static func common(_ commands: [Command], of program: String) -> [String] {
    options(commands, of: program) + [""] + arguments(commands, of: program) + [""]
      + lines(
        """
        # The place in a command line after these words.
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

        # The candidates there for a word that begins like this.
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
    return ["# The options of a command, or of none.", "_\(program)_options() {", "  case $1 in"]
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
      "# The kind of word after an option ('record --board'), as an operand ('pair 1'), or as a",
      "# word of a command line ('simulate -- 1').",
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
