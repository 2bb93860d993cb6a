/// Scripts with which shells complete our command lines, made from the list the parser reads.
enum CompletionScript {
  /// What `footbridge completion` prints.
  static func text(for shell: CompletionConfiguration.Shell, of commands: [Command]) -> String {
    let script =
      switch shell {
      case .bash: bash(commands)
      case .zsh: zsh(commands)
      case .fish: fish(commands)
      }
    return script.joined(separator: "\n")
  }

  /// A word as it is written in a script for any of the shells; ours have no quotes in them.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
    return isPlain ? word : "'\(word)'"
  }

  static func list(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  // MARK: What Bash and Z shell have in common

  /// Functions that find out what may stand in a place. They set `subcommand`, `option` (which
  /// waits for its value), `ended` (behind `--`) and `place` (operands so far); `kind` and
  /// `offers`, which are the `Candidates`; and `value`, the part of the word to complete.
  static func common(_ commands: [Command]) -> [String] {
    options(commands) + [""] + arguments(commands) + [""]
      + lines(
        """
        # Where in a command line we are, behind these words.
        _footbridge_place() {
          local word
          subcommand='' option='' ended='' place=0
          for word in "$@"; do
            if [[ -n $option ]]; then
              option=''
            elif [[ -z $ended && $word == -- ]]; then
              ended=1
            elif [[ -z $ended && $word == -?* ]]; then
              if _footbridge_argument "$subcommand $word"; then option=$word; fi
            elif [[ -z $subcommand ]]; then
              subcommand=$word
            else
              place=$((place + 1))
            fi
          done
        }

        # What may follow there, for a word that has begun so.
        _footbridge_offer() {
          kind='' offers=() value=$1
          if [[ -n $option ]]; then
            _footbridge_argument "$subcommand $option"
          elif [[ -z $ended && $1 == --*=* ]]; then
            value=${1#*=}
            _footbridge_argument "$subcommand ${1%%=*}"
          elif [[ -z $ended && $1 == -* ]]; then
            _footbridge_options "$subcommand"
          else
            _footbridge_argument "$subcommand $((place + 1))"
          fi
        }
        """)
  }

  private static func options(_ commands: [Command]) -> [String] {
    func line(_ name: String, _ options: [OptionDescription]) -> String {
      "    \(quoted(name))) offers=(\(list(options.map(\.spelling)))) ;;"
    }
    let common = CommonConfiguration.options.map(\.description)
    return ["# The options of a command, or of none.", "_footbridge_options() {", "  case $1 in"]
      + [line("", ProgramConfiguration.options.map(\.description))]
      + commands.filter(\.isListed).map { line($0.name, $0.options + common) }
      + ["  esac", "}"]
  }

  private static func arguments(_ commands: [Command]) -> [String] {
    func line(_ pattern: String, _ candidates: Candidates) -> String {
      let offers = candidates.words.isEmpty ? "" : " offers=(\(list(candidates.words)))"
      let kind = candidates.source.map { " kind=\($0.rawValue)" } ?? ""
      return "    \(pattern))\(kind)\(offers) ;;"
    }
    let all = Argument("COMMAND", .command).candidates(among: commands)
    var lines = [
      "# What is expected behind an option ('record --board') or as an operand ('pair 1').",
      "_footbridge_argument() {", "  case $1 in", line("' 1'", all),
    ]
    for command in commands where command.isListed {
      for option in command.options {
        guard let argument = option.argument else { continue }
        lines.append(
          line("'\(command.name) \(option.spelling)'", argument.candidates(among: commands)))
      }
      for (index, operand) in command.operands.enumerated() {
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
