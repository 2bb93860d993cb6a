internal import LinuxSystem

/// A program with commands: the one list that parser, help, manual page and completion come from.
public protocol CommandProgram: SendableMetatype {
  /// Its name.
  static var name: String { get }
  /// Its release, as in `0.1.0`.
  static var release: String { get }
  /// When that came out, as in `2026-11-26`: the date of the manual pages.
  static var date: String { get }
  /// The purpose of the program: a phrase, no capital and no full stop.
  static var purpose: String { get }
  /// What the program does.
  static var introduction: String { get }
  /// The commands, in the order of the help.
  static var verbs: [any Verb.Type] { get }
  /// How it may end.
  static var statuses: [ExitStatus] { get }

  /// The names that shells complete besides commands, options and their words, if there are any.
  static var completedNames: String? { get }
  /// What to do instead of calling a command that does not exist, if its name tells.
  static func remedy(forUnknown command: String) -> String?
  /// Manual pages that its own page refers to, or that of a command.
  static func seeAlso(_ command: Command?) -> [ManualPage]
  /// Does what comes before the work of a verb; a status if no more is to be done. The words are
  /// those of the command line, from the name of the command on.
  static func prepare(
    _ verb: any Verb, _ words: [String], _ console: Console
  ) async throws -> ExitStatus?
  /// A remedy for a command with these arguments, in which other commands have those of its options
  /// that they need too.
  static func completed(
    _ remedy: String, after arguments: [String], of options: [OptionDescription]
  ) -> String
}

/// What a program need not say.
extension CommandProgram {
  /// None.
  public static var completedNames: String? { nil }
  /// Nothing.
  public static func remedy(forUnknown command: String) -> String? { nil }
  /// None.
  public static func seeAlso(_ command: Command?) -> [ManualPage] { [] }
  /// Nothing.
  public static func prepare(
    _ verb: any Verb, _ words: [String], _ console: Console
  ) async throws -> ExitStatus? { nil }
  /// The remedy as it is.
  public static func completed(
    _ remedy: String, after arguments: [String], of options: [OptionDescription]
  ) -> String { remedy }
}

extension CommandProgram {
  /// Name and release, as `--version` prints them.
  static var version: String { "\(name) \(release)" }

  /// Its commands.
  public static var all: [Command] { verbs.map { Command($0, of: self) } }

  /// Is the process of the program.
  public static func runProcess() -> Never {
    ConsoleProcess.run(name) { environment, console in
      try await run(ThisProcess.arguments, environment, { all }, console)
    }
  }

  /// Runs the command that `arguments` (without the program's name) asks for, also one that the
  /// executable does not have. Commands are made when one is looked for: making them takes longer
  /// than all else that `--version` does here.
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

  /// The command of this name, or a complaint that names the one probably meant.
  static func find(_ name: String, among commands: [Command]) throws(Complaint) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: commands.filter(\.isListed).map(\.name))
    throw .usage(
      "unknown command '\(TerminalText.quotation(name))'",
      remedy: remedy(forUnknown: name) ?? near.map { "did you mean '\($0)'?" },
      command: self.name)
  }
}
