/// Which shell `footbridge completion` was asked to serve.
public struct CompletionConfiguration: Hashable, Sendable {
  /// A shell that can be told what may follow a word.
  public enum Shell: String, CaseIterable, Hashable, Sendable {
    /// Bash, from 4.4 on.
    case bash
    /// Z shell with its completion system.
    case zsh
    /// Fish.
    case fish
  }

  /// The shell.
  public var shell = Shell.bash

  /// The command; it asks for the list when it runs, since it is on the list itself.
  static func command(of list: @escaping @Sendable () -> [Command]) -> Command {
    Command(
      CommandDefinition(
        name: "completion", summary: "print a script that lets a shell complete words",
        discussion: """
          Prints a script with which the shell completes commands, options, their words, and the \
          names of known boards.

          bash: put source <(footbridge completion bash) into ~/.bashrc

          zsh: put source <(footbridge completion zsh) into ~/.zshrc, behind compinit

          fish: footbridge completion fish > ~/.config/fish/completions/footbridge.fish
          """,
        initial: { _ in CompletionConfiguration() },
        operands: [.word("bash|zsh|fish", sets: \.shell)],
        body: { configuration, console in
          try console.print(CompletionScript.text(for: configuration.shell, of: list()))
          return .ok
        }))
  }
}
