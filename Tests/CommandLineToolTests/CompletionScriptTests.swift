import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// Properties of the completion scripts that cannot be observed by running the scripts in their
/// shells. See `CompletionTests`.
@Suite(.computation) struct CompletionScriptTests {
  @Test func `a completion script contains the lines that register it with its shell`() async {
    func script(_ shell: String) async -> String { await Outcome.of("completion", shell).output }
    #expect(await script("bash").hasSuffix("\ncomplete -F _footbridge footbridge\n"))
    // zsh requires the first line in a script that it finds through its function path. The last
    // lines support both ways of loading the script.
    let zsh = await script("zsh")
    #expect(zsh.hasPrefix("#compdef footbridge\n"))
    #expect(
      zsh.hasSuffix(
        """

        if [[ $funcstack[1] == _footbridge ]]; then
          _footbridge "$@"
        else
          compdef _footbridge footbridge
        fi

        """))
    #expect(await script("fish").contains("\ncomplete -c footbridge -f\n"))
  }

  @Test func `the bash and zsh scripts complete each word with the right kind of value`() async {
    for shell in ["bash", "zsh"] {
      let script = await Outcome.of("completion", shell).output
      for line in [
        "'record --layout') offers=(single packed counted-pair counted timed) ;;",
        "'record --export') kind=folders ;;", "'record --board') kind=boards ;;",
        "'upload --destination') kind=destinations ;;", "'record '[0-9]*) kind=boards ;;",
        "'definitions 2') kind=files ;;", "'simulate -- 1') kind=programs ;;",
        "'simulate -- '[0-9]*) kind=files ;;", "'hazard '[0-9]*) offers=('Change=' ",
      ] {
        let isThere = script.contains("    \(line)")
        #expect(isThere, "\(line) in \(shell)")
      }
    }
  }

  @Test
  func `the fish script completes each word with the right kind of value, and escapes quotes`()
    async
  {
    let script = await Outcome.of("completion", "fish").output
    let record = "-n '__fish_seen_subcommand_from record'"
    for line in [
      "-s q -l quiet -d 'report only warnings and errors'",
      "-n __fish_use_subcommand -l version -d 'show the version and exit'",
      "-n __fish_use_subcommand -a show -d 'show a stored session'",
      "\(record) -l layout -x -a 'single packed counted-pair counted timed' -d '",
      "\(record) -l export -x -a '(__fish_complete_directories)' -d '",
      "\(record) -l board -x -a '(footbridge complete boards 2>/dev/null)' -d '",
      "\(record) -l gps -r -F -a 'gpsd gpsd:// file: fixed:' -d '",
      "\(record) -l require-all -d '",
      "-n '__fish_seen_subcommand_from fetch' -a '(footbridge complete destinations 2>/dev/null)'",
      "-n '__fish_seen_subcommand_from definitions' -F\n",
      "-n '__fish_seen_subcommand_from simulate; and contains -- -- (commandline -opc)'"
        + " -F -a '(__fish_complete_command)'",
      "-n '__fish_seen_subcommand_from fetch' -l ca-file -r -F"
        + #" -d 'trust the certificates in this file instead of the system\'s'"#,
    ] {
      let isThere = script.contains("\ncomplete -c footbridge \(line)")
      #expect(isThere, "\(line)")
    }
  }

  @Test func `the scripts contain every option of every listed command`() async {
    for shell in CompletionScript.Shell.allCases {
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

  @Test func `help does not list the command that the completion scripts call`() async throws {
    #expect(
      try CompleteCommand.typed("boards", "--", "-l") == .plain { $0.prefix = "-l" })
    #expect(await !Outcome.of("--help").output.contains("complete boards"))
    #expect(await !Outcome.of().errors.contains("complete boards"))
    #expect(await !Outcome.of("complet").errors.contains("'complete'"))
  }

  @Test func `the error for an unsupported shell lists the supported shells`() async {
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
