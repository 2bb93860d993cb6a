internal import LinuxSystem
internal import Values

/// The program: from the command line to an exit status.
public enum Footbridge {
  /// Is the process of `footbridge`.
  public static func runProcess() -> Never { runProcess(of: Commands.self) }

  /// Is the process of a program with commands.
  public static func runProcess(of program: any CommandProgram.Type) -> Never {
    runProcess(program.name) { environment, console in
      try await run(ThisProcess.arguments, environment, of: program, { program.all }, console)
    }
  }

  /// Is the process of an executable that is this verb alone.
  public static func runProcess(of verb: (some Verb).Type) -> Never {
    runProcess(verb.definition.call) { environment, console in
      try await Command(verb).run(
        ThisProcess.arguments, common: CommonConfiguration(), environment: environment,
        console: console)
    }
  }

  private static func runProcess(
    _ call: String,
    _ body: @escaping @Sendable ([String: String], Console) async throws -> ExitStatus
  ) -> Never {
    ThisProcess.occupyClosedStreams()
    SignalWatch.prepareProcess()
    ThisProcess.leaveNoCoreFile()
    let environment = Environment.variables
    let console = Console.standard(environment: environment)
    let watch = try? SignalWatch(leave: {
      console.restoreCursor()
      // After a stop, the shell has written below the view.
      console.finishPainting()
    }) { number, isFromTerminal in
      guard let status = console.interrupt(by: number, fromTerminal: isFromTerminal) else {
        return
      }
      console.restoreCursor()
      ThisProcess.exitAtOnce(status.rawValue)
    }
    guard let watch else { ThisProcess.exit(1) }
    // Until the end signals are watched for.
    withExtendedLifetime(watch) {
      ThisProcess.run {
        await end(console) {
          if let unreadable = ThisProcess.unreadableArgument {
            throw Complaint.usage(
              "argument \(unreadable) is no text in UTF-8",
              remedy: "type it again in a terminal that uses UTF-8", command: call)
          }
          return try await body(environment, console)
        }
      }
    }
  }

  /// Runs the command that `arguments` (without the program's name) asks for, also one that the
  /// executable does not have. Commands are made when one is looked for: making them takes longer
  /// than all else that `--version` does here.
  static func main(
    arguments: [String], environment: [String: String],
    commands: @autoclosure () -> [Command], console: Console
  ) async -> Int32 {
    await end(console) {
      try await run(arguments, environment, of: Commands.self, commands, console)
    }
  }

  /// The end of a program that does `body`.
  ///
  /// What goes wrong is said on standard error here and nowhere else. A reader that closes our
  /// standard output has seen enough, so that ends the program quietly and well. When this returns,
  /// everything is written, or was given up because its reader does not read.
  private static func end(
    _ console: Console, of body: () async throws -> ExitStatus
  ) async -> Int32 {
    var status: ExitStatus
    do {
      status = try await body()
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
    _ arguments: [String], _ environment: [String: String],
    of program: any CommandProgram.Type, _ commands: () -> [Command], _ console: Console
  ) async throws -> ExitStatus {
    var configuration = ProgramConfiguration()
    var rest = arguments[...]
    var given: Set<String> = []
    let parser = ArgumentParser(
      command: program.name, options: ProgramConfiguration.options)
    _ = try parser.parseOptions(&rest, into: &configuration, given: &given)
    if configuration.wantsVersion {
      try console.print(program.version)
      return .ok
    }
    if configuration.common.wantsHelp {
      try console.print(HelpText.overview(of: program))
      return .ok
    }
    let commands = commands()
    guard let name = rest.popFirst() else {
      throw Complaint.usage(
        "no command given",
        remedy: "commands are " + commands.filter(\.isListed).map(\.name).joined(separator: ", "),
        command: program.name)
    }
    return try await find(name, among: commands, of: program).run(
      Array(rest), common: configuration.common, environment: environment, console: console)
  }

  /// The command of this name, or a complaint that names the one probably meant.
  static func find(
    _ name: String, among commands: [Command], of program: any CommandProgram.Type
  ) throws(Complaint) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: commands.filter(\.isListed).map(\.name))
    throw .usage(
      "unknown command '\(TerminalText.quotation(name))'",
      remedy: name == "fleet" && program == Commands.self
        ? "a fleet has a program of its own: 'footbridge-fleet list'"
        : near.map { "did you mean '\($0)'?" },
      command: program.name)
  }
}
