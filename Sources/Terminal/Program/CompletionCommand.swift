/// `footbridge completion`: prints a completion script for a shell.
public struct CompletionCommand<Program: CommandProgram>: Verb {
  var shell = CompletionScript.Shell.bash

  /// The definition is computed because its help contains the program's name.
  public static var definition: CommandDefinition<Self> {
    CommandDefinition<Self>(
      name: "completion", summary: "print a completion script for a shell",
      discussion: """
        Prints a script that completes commands, options and their \
        values\(Program.completedNames.map { ", and \($0)" } ?? "").

        bash: add source <(\(Program.name) completion bash) to ~/.bashrc

        zsh: add source <(\(Program.name) completion zsh) to ~/.zshrc, after compinit

        fish: \(Program.name) completion fish > ~/.config/fish/completions/\(Program.name).fish
        """,
      initial: { _ in CompletionCommand() },
      operands: [.required(.word("bash|zsh|fish"), sets: \.shell)])
  }

  public func run(_ console: Console) async throws -> ExitStatus {
    try console.print(CompletionScript.text(for: shell, of: Program.self))
    return .ok
  }
}
