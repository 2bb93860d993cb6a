internal import LinuxSystem

/// A program with commands: the one list behind parser, help, manual page and completion.
public protocol CommandProgram: SendableMetatype {
  static var name: String { get }
  /// Its release, as in `0.1.0`.
  static var release: String { get }
  /// The release date, as in `2026-11-26`, for the manual pages.
  static var date: String { get }
  /// The commit of the build and its date; empty if unknown.
  static var commit: String { get }
  /// The purpose of the program: a phrase, no capital and no full stop.
  static var purpose: String { get }
  /// The first sentence of the help.
  static var introduction: String { get }
  /// The commands, in the order of the help.
  static var verbs: [any Verb.Type] { get }
  static var statuses: [ExitStatus] { get }

  /// The names that shells complete besides commands, options and their words, if any.
  static var completedNames: String? { get }
  /// The remedy for a missing command, if its name suggests one.
  static func remedy(forUnknown command: String) -> String?
  /// The manual pages that its own page, or the page of a command, refers to.
  static func seeAlso(_ command: Command?) -> [ManualPage]
  /// Prepares the work of a verb. Returns a status if nothing remains to be done. The words are
  /// those of the command line, from the name of the command on.
  static func prepare(
    _ verb: any Verb, _ words: [String], _ console: Console
  ) async throws -> ExitStatus?
  /// A remedy for a command with these arguments, in which other commands repeat the options that
  /// they need.
  static func completed(
    _ remedy: String, after arguments: [String], of options: [OptionDescription]
  ) -> String
}

/// Defaults.
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
  /// Name, release and commit, as `--version` prints them.
  public static var version: String {
    "\(name) \(release) (\(commit.isEmpty ? "development build" : commit))"
  }

  public static var all: [Command] { verbs.map { Command($0, of: self) } }

  /// Runs the program as this process.
  public static func runProcess() -> Never {
    ConsoleProcess.run(name) { environment, console in
      try await run(ThisProcess.arguments, environment, { all }, console)
    }
  }

  /// Runs the command in `arguments` (without the program's name); the commands may differ from
  /// those of the executable. They are made only when one is looked up: making them takes longer
  /// than everything else that `--version` does here.
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

  /// The command with this name. Throws a complaint that suggests a similar name.
  static func find(_ name: String, among commands: [Command]) throws(Complaint) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: commands.filter(\.isListed).map(\.name))
    throw .usage(
      "unknown command '\(TerminalText.quotation(name))'",
      remedy: remedy(forUnknown: name) ?? near.map { "did you mean '\($0)'?" },
      command: self.name)
  }
}
