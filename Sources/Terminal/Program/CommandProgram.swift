internal import LinuxSystem

/// A program that consists of commands. The parser, the help, the manual pages and completion are
/// all derived from its list of verbs.
public protocol CommandProgram: SendableMetatype {
  static var name: String { get }
  /// The release, such as `0.1.0`.
  static var release: String { get }
  /// The release date, such as `2026-11-26`, for the manual pages.
  static var date: String { get }
  /// The commit from which the program was built, and the commit's date; empty if unknown.
  static var commit: String { get }
  /// The program's purpose: a phrase in lower case without a full stop.
  static var purpose: String { get }
  /// The opening sentence of the program's help.
  static var introduction: String { get }
  /// The commands, in the order shown in the help.
  static var verbs: [any Verb.Type] { get }
  static var statuses: [ExitStatus] { get }

  /// A description of the names that shells complete in addition to commands, options and fixed
  /// values; `nil` if there are none.
  static var completedNames: String? { get }
  /// Returns the remedy for an unknown command, if the command's name suggests one.
  static func remedy(forUnknown command: String) -> String?
  /// Returns the manual pages to which a command's page refers, or the program's page if `command`
  /// is `nil`.
  static func seeAlso(_ command: Command?) -> [ManualPage]
  /// Prepares to run a verb. Returns an exit status if the verb need not run. `words` is the
  /// command line, starting with the command's name.
  static func prepare(
    _ verb: any Verb, _ words: [String], _ console: Console
  ) async throws -> ExitStatus?
  /// Completes the remedy in an error from a command that was called with these arguments. Adds the
  /// options that each command in the remedy needs.
  static func completed(
    _ remedy: String, after arguments: [String], of options: [OptionDescription]
  ) -> String
}

extension CommandProgram {
  public static var completedNames: String? { nil }
  public static func remedy(forUnknown command: String) -> String? { nil }
  public static func seeAlso(_ command: Command?) -> [ManualPage] { [] }
  public static func prepare(
    _ verb: any Verb, _ words: [String], _ console: Console
  ) async throws -> ExitStatus? { nil }
  public static func completed(
    _ remedy: String, after arguments: [String], of options: [OptionDescription]
  ) -> String { remedy }
}

extension CommandProgram {
  /// The program's name, release and commit, as printed by `--version`.
  public static var version: String {
    "\(name) \(release) (\(commit.isEmpty ? "development build" : commit))"
  }

  public static var all: [Command] { verbs.map { Command($0, of: self) } }

  /// Runs the program as the current process.
  public static func runProcess() -> Never {
    ConsoleProcess.run(name) { environment, console in
      try await run(ThisProcess.arguments, environment, { all }, console)
    }
  }

  /// Runs the command in `arguments` (without the program's name). `commands` is not
  /// evaluated for `--version` or `--help`, because creating the commands takes longer than the
  /// rest of `--version`. Tests may pass commands of their own.
  static func main(
    arguments: [String], environment: [String: String],
    commands: @autoclosure () -> [Command], console: Console
  ) async -> Int32 {
    await ConsoleProcess.end(console) {
      try await run(arguments, environment, commands, console)
    }
  }

  private static func run(
    _ arguments: [String], _ environment: [String: String], _ commands: () -> [Command],
    _ console: Console
  ) async throws -> ExitStatus {
    var configuration = ProgramConfiguration()
    var rest = arguments[...]
    var given: Set<String> = []
    let parser = ArgumentParser(command: name, options: ProgramConfiguration.options)
    _ = try parser.parseOptions(&rest, into: &configuration, given: &given)
    if configuration.wantsVersion {
      try console.print(version)
      return .ok
    }
    if configuration.common.wantsHelp {
      try console.print(HelpText.overview(of: self))
      return .ok
    }
    let commands = commands()
    guard let name = rest.popFirst() else {
      throw Complaint.usage(
        "no command given",
        remedy: "commands are " + commands.filter(\.isListed).map(\.name).joined(separator: ", "),
        command: self.name)
    }
    return try await find(name, among: commands).run(
      Array(rest), common: configuration.common, environment: environment, console: console)
  }

  /// Returns the command with this name. Throws an error that suggests a similar name.
  static func find(_ name: String, among commands: [Command]) throws(Complaint) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: commands.filter(\.isListed).map(\.name))
    throw .usage(
      "unknown command '\(TerminalText.quotation(name))'",
      remedy: remedy(forUnknown: name) ?? near.map { "did you mean '\($0)'?" },
      command: self.name)
  }
}
