import TestSupport
import Testing

@testable import CommandLineTool

/// Completion scripts of a short list of commands, word for word.
@Suite(.computation) struct CompletionScriptTests {
  private enum Pace: String, CaseIterable, Sendable {
    case slow
    case fast
  }

  private struct Walk: Verb {
    var pace = Pace.slow
    var folder: String?
    var boards: [String] = []
    var isLong = false
    var file: String?

    static let definition = CommandDefinition<Walk>(
      name: "walk", summary: "go and don't return", discussion: "", initial: { _ in Walk() },
      options: [
        .option("pace", .word(), default: .slow, help: "how fast", sets: \.pace),
        .option("keep", .folder("FOLDER"), help: "keep it here", sets: \.folder),
        .option("board", .board, help: "wear this", adds: \.boards),
        .flag("long", help: "go far", sets: \.isLong),
      ], operands: [.optional(.unchecked("FILE", .file), sets: \.file)])

    func run(_ console: Console) -> CommandLineTool.ExitStatus { .ok }
  }

  private struct Rest: Verb {
    var boards: [String] = []

    static let definition = CommandDefinition<Rest>(
      name: "rest", summary: "stay", discussion: "", initial: { _ in Rest() },
      operands: [.required(.board, adds: \.boards)])

    func run(_ console: Console) -> CommandLineTool.ExitStatus { .ok }
  }

  private struct Lead: Verb {
    var followers: [String] = []

    static let definition = CommandDefinition<Lead>(
      name: "lead", summary: "go first", discussion: "", initial: { _ in Lead() },
      operands: [.commandLine("WHO", excludes: [], adds: \.followers)])

    func run(_ console: Console) -> CommandLineTool.ExitStatus { .ok }
  }

  private struct Ask: Verb {
    static let definition = CommandDefinition<Ask>(
      name: "ask", summary: "not for people", discussion: "", initial: { _ in Ask() },
      isListed: false)

    func run(_ console: Console) -> CommandLineTool.ExitStatus { .ok }
  }

  private static let commands = [
    Command(Walk.self), Command(Rest.self), Command(Lead.self), Command(Ask.self),
  ]

  /// What both Bash and Z shell are told.
  private let tables = """
    # The options of a command, or of none.
    _footbridge_options() {
      case $1 in
        '') offers=(--quiet --verbose --help --version) ;;
        walk) offers=(--pace --keep --board --long --quiet --verbose --help) ;;
        rest) offers=(--quiet --verbose --help) ;;
        lead) offers=(--quiet --verbose --help) ;;
      esac
    }

    # The kind of word after an option ('record --board'), as an operand ('pair 1'), or as a
    # word of a command line ('simulate -- 1').
    _footbridge_argument() {
      case $1 in
        ' 1') offers=(walk rest lead) ;;
        'walk --pace') offers=(slow fast) ;;
        'walk --keep') kind=folders ;;
        'walk --board') kind=boards ;;
        'walk 1') kind=files ;;
        'rest '[0-9]*) kind=boards ;;
        'lead -- 1') kind=programs ;;
        'lead -- '[0-9]*) kind=files ;;
        *) return 1 ;;
      esac
    }

    # Where in a command line we are, behind these words.
    _footbridge_place() {
      local word
      subcommand='' option='' ended='' place=0
      for word in "$@"; do
        if [[ -n $option ]]; then
          option=''
        elif [[ -z $ended && $word == -- ]]; then
          ended=0
        elif [[ -z $ended && $word == -?* ]]; then
          if _footbridge_argument "$subcommand $word"; then option=$word; fi
        elif [[ -z $subcommand ]]; then
          subcommand=$word
        else
          place=$((place + 1))
          if [[ -n $ended ]]; then ended=$((ended + 1)); fi
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
      elif [[ -z $ended ]] || ! _footbridge_argument "$subcommand -- $((ended + 1))"; then
        _footbridge_argument "$subcommand $((place + 1))"
      fi
    }
    """

  @Test func `the script for bash`() {
    #expect(
      CompletionScript.text(for: .bash, of: Self.commands) == """
        # Completion of footbridge in bash, made by 'footbridge completion bash'.


        """ + tables
          + #"""


          _footbridge() {
            local line=${COMP_LINE:0:COMP_POINT} typed=() part last
            # Bash cuts words at colons and equals signs too; what has no blank between it belongs together.
            for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
              if [[ ${#typed[@]} -eq 0 || $line == [[:blank:]]* ]]; then typed+=(''); fi
              line=${line#"${line%%[![:blank:]]*}"}
              typed[${#typed[@]}-1]+=${line:0:${#part}}
              line=${line:${#part}}
            done
            last=$((${#typed[@]} - 1))

            local subcommand option ended place kind offers value offer quote='' shown=''
            _footbridge_place "${typed[@]:1:last-1}"
            _footbridge_offer "${typed[last]}"
            case $value in
              [\'\"]*)
                quote=1
                value=${value:1}
                ;;
              *)
                value=${value//\\/}
                # Bash replaces only what is behind the last colon.
                if [[ $COMP_WORDBREAKS == *:* && $value == *:* ]]; then shown=${value%"${value##*:}"}; fi
                ;;
            esac
            case $kind in
              boards)
                while IFS= read -r offer; do
                  offers+=("$offer")
                done < <(footbridge complete boards -- "$value" 2>/dev/null)
                ;;
              destinations)
                while IFS= read -r offer; do
                  offers+=("$offer")
                done < <(footbridge complete destinations -- "$value" 2>/dev/null)
                ;;
              programs)
                while IFS= read -r offer; do
                  offers+=("$offer")
                done < <(compgen -c -- "$value")
                compopt -o default 2>/dev/null
                ;;
              files) compopt -o default 2>/dev/null ;;
              folders) compopt -o dirnames 2>/dev/null ;;
            esac
            COMPREPLY=()
            for offer in "${offers[@]}"; do
              # Boards and destinations are found whatever their case.
              if [[ $kind == boards || $kind == destinations || $offer == "$value"* ]]; then
                offer=${offer:${#shown}}
                if [[ -z $quote ]]; then printf -v offer %q "$offer"; fi
                COMPREPLY+=("$offer")
              fi
            done
          }

          complete -F _footbridge footbridge
          """#)
  }

  @Test func `the script for zsh`() {
    #expect(
      CompletionScript.text(for: .zsh, of: Self.commands) == """
        #compdef footbridge
        # Completion of footbridge in zsh, made by 'footbridge completion zsh'.


        """ + tables
          + #"""


          _footbridge() {
            local subcommand option ended place kind value offer
            local -a offers
            _footbridge_place "${(@Q)words[2,CURRENT-1]}"
            _footbridge_offer "$PREFIX"
            if [[ $value != $PREFIX ]]; then compset -P '*='; fi
            if [[ $kind == boards ]]; then
              while IFS= read -r offer; do
                offers+=("$offer")
              done < <(footbridge complete boards 2>/dev/null)
            fi
            if [[ $kind == destinations ]]; then
              while IFS= read -r offer; do
                offers+=("$offer")
              done < <(footbridge complete destinations 2>/dev/null)
            fi
            compadd -M 'm:{a-zA-Z}={A-Za-z}' -a offers
            case $kind in
              programs) _command_names -e; _files ;;
              files) _files ;;
              folders) _files -/ ;;
            esac
          }

          # Among the functions of zsh this file is itself the body of the first call.
          if [[ $funcstack[1] == _footbridge ]]; then
            _footbridge "$@"
          else
            compdef _footbridge footbridge
          fi
          """#)
  }

  @Test func `the script for fish`() {
    #expect(
      CompletionScript.text(for: .fish, of: Self.commands) == #"""
        # Completion of footbridge in fish, made by 'footbridge completion fish'.

        complete -c footbridge -f
        complete -c footbridge -s q -l quiet -d 'report only warnings and errors'
        complete -c footbridge -s v -l verbose -d 'report every step'
        complete -c footbridge -s h -l help -d 'show this help and end'
        complete -c footbridge -n __fish_use_subcommand -l version -d 'show the version and end'
        complete -c footbridge -n __fish_use_subcommand -a walk -d 'go and don\'t return'
        complete -c footbridge -n __fish_use_subcommand -a rest -d 'stay'
        complete -c footbridge -n __fish_use_subcommand -a lead -d 'go first'
        complete -c footbridge -n '__fish_seen_subcommand_from walk' -l pace -x -a 'slow fast' -d 'how fast'
        complete -c footbridge -n '__fish_seen_subcommand_from walk' -l keep -x -a '(__fish_complete_directories)' -d 'keep it here'
        complete -c footbridge -n '__fish_seen_subcommand_from walk' -l board -x -a '(footbridge complete boards 2>/dev/null)' -d 'wear this'
        complete -c footbridge -n '__fish_seen_subcommand_from walk' -l long -d 'go far'
        complete -c footbridge -n '__fish_seen_subcommand_from walk' -F
        complete -c footbridge -n '__fish_seen_subcommand_from rest' -a '(footbridge complete boards 2>/dev/null)'
        complete -c footbridge -n '__fish_seen_subcommand_from lead; and contains -- -- (commandline -opc)' -F -a '(__fish_complete_command)'
        """#)
  }

  @Test func `every option and argument of every command is in the scripts`() async {
    for shell in CompletionCommand.Shell.allCases {
      let script = await Outcome.of("completion", shell.rawValue).output
      for command in Commands.all where command.isListed {
        for option in command.options {
          let line =
            shell == .fish
            ? "'__fish_seen_subcommand_from \(command.name)' -l \(option.name) "
            : option.argument == nil ? option.spelling : "'\(command.name) \(option.spelling)')"
          #expect(script.contains(line), "\(line) in \(shell)")
        }
      }
      #expect(!script.contains("-a complete "))
    }
  }

  @Test func `the question of the scripts is not among the commands that people see`() async throws
  {
    #expect(
      try CompleteCommand.typed("boards", "--", "-l") == .plain { $0.prefix = "-l" })
    #expect(await !Outcome.of("--help").output.contains("complete boards"))
    #expect(await !Outcome.of().errors.contains("complete boards"))
    #expect(await !Outcome.of("complet").errors.contains("'complete'"))
  }

  @Test func `a shell without a script is told those that have one`() async {
    #expect(
      await Outcome.of("completion", "tcsh")
        == .misunderstood(
          """
          error: unknown choice 'tcsh'
                 choose one of bash, zsh, fish
                 try 'footbridge completion --help'
          """))
  }
}
