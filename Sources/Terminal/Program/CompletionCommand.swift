/// `footbridge completion`: the script that lets a shell complete words.
public struct CompletionCommand<Program: CommandProgram>: Verb {
  /// The shell.
  var shell = CompletionScript.Shell.bash

  /// Its help, in the words of its program.
  public static var definition: CommandDefinition<Self> {
    CommandDefinition<Self>(
      name: "completion", summary: "print a script that lets a shell complete words",
      discussion: """
        Prints a script with which the shell completes commands, options and their words\
        \(Program.completedNames.map { ", and \($0)" } ?? "").

        bash: put source <(\(Program.name) completion bash) into ~/.bashrc

        zsh: put source <(\(Program.name) completion zsh) into ~/.zshrc, behind compinit

        fish: \(Program.name) completion fish > ~/.config/fish/completions/\(Program.name).fish
        """,
      initial: { _ in CompletionCommand() },
      operands: [.required(.word("bash|zsh|fish"), sets: \.shell)])
  }

  /// Prints it.
  public func run(_ console: Console) async throws -> ExitStatus {
    try console.print(CompletionScript.text(for: shell, of: Program.self))
    return .ok
  }
}
