/// `footbridge completion`: the script that lets a shell complete words.
struct CompletionCommand: Verb {
  /// A shell that can be told what may follow a word.
  enum Shell: String, CaseIterable, Hashable, Sendable {
    /// Bash, from 4.4 on.
    case bash
    /// Z shell with its completion system.
    case zsh
    /// Fish.
    case fish
  }

  /// The shell.
  var shell = Shell.bash

  static let definition = CommandDefinition<CompletionCommand>(
    name: "completion", summary: "print a script that lets a shell complete words",
    discussion: """
      Prints a script with which the shell completes commands, options, their words, and the \
      names of known boards.

      bash: put source <(footbridge completion bash) into ~/.bashrc

      zsh: put source <(footbridge completion zsh) into ~/.zshrc, behind compinit

      fish: footbridge completion fish > ~/.config/fish/completions/footbridge.fish
      """,
    initial: { _ in CompletionCommand() },
    operands: [.required(.word("bash|zsh|fish"), sets: \.shell)])

  func run(_ console: Console) async throws -> ExitStatus {
    try console.print(CompletionScript.text(for: shell, of: Commands.all))
    return .ok
  }
}
