/// The program: from the command line to an exit status.
public enum Footbridge {
  /// Runs the command that `arguments` (without the program's name) asks for.
  ///
  /// What goes wrong is said on standard error here and nowhere else. A reader that closes our
  /// standard output has seen enough, so that ends the program quietly and well; the executable
  /// has to ignore SIGPIPE for it, and to pass signals on with `Console.interrupt(by:)`. When this
  /// returns, everything is written, or was given up because its reader does not read.
  ///
  /// - Parameter unreadable: the number of an argument that is no text in UTF-8, if there is one.
  public static func main(
    arguments: [String], unreadable: Int? = nil, environment: [String: String], console: Console
  ) async -> Int32 {
    if let unreadable {
      console.complain(
        .usage(
          "argument \(unreadable) is no text in UTF-8",
          remedy: "type it again in a terminal that uses UTF-8", command: Version.program))
      console.close()
      return ExitStatus.usage.rawValue
    }
    return await main(
      arguments: arguments, environment: environment, commands: Commands.all, console: console)
  }

  /// Also for other commands than those of the executable. They are made when a command is looked
  /// for: making them takes longer than all else that `--version` does here.
  static func main(
    arguments: [String], environment: [String: String],
    commands: @autoclosure () -> [Command], console: Console
  ) async -> Int32 {
    var status: ExitStatus
    do {
      status = try await run(arguments, environment, commands, console)
      console.finishPainting()
      try console.flush()
    } catch OutputError.closed {
      status = .ok
    } catch OutputError.unread {
      // Nothing is waited for like this before a signal.
      status = console.signals.received ?? .failed
    } catch {
      console.finishPainting()
      let complaint = Complaint(explaining: error)
      console.complain(complaint)
      status = complaint.status
    }
    console.close()
    return status.rawValue
  }

  private static func run(
    _ arguments: [String], _ environment: [String: String], _ commands: () -> [Command],
    _ console: Console
  ) async throws -> ExitStatus {
    var configuration = ProgramConfiguration()
    var rest = arguments[...]
    var given: Set<String> = []
    let parser = ArgumentParser(
      command: Version.program, options: ProgramConfiguration.options)
    _ = try parser.parseOptions(&rest, into: &configuration, given: &given)
    if configuration.wantsVersion {
      try console.print(Version.text)
      return .ok
    }
    let commands = commands()
    if configuration.common.wantsHelp {
      try console.print(HelpText.overview(of: commands))
      return .ok
    }
    guard let name = rest.popFirst() else {
      throw Complaint.usage(
        "no command given",
        remedy: "commands are " + commands.filter(\.isListed).map(\.name).joined(separator: ", "),
        command: Version.program)
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
      remedy: near.map { "did you mean '\($0)'?" },
      command: Version.program)
  }
}
