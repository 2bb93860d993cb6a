@testable import CommandLineTool
@testable import Terminal

/// The visible outcome of one run of the program.
struct Outcome: Equatable {
  var status: Int32
  var output = ""
  var errors = ""

  /// Runs the program with stub commands, which are parsed but do nothing.
  static func of(
    _ arguments: String..., environment: [String: String] = [:],
    commands: [Terminal.Command] = Commands.probes
  ) async -> Outcome {
    await of(arguments, environment: environment, commands: commands)
  }

  static func of(
    _ arguments: [String], environment: [String: String] = [:],
    commands: [Terminal.Command] = Commands.probes
  ) async -> Outcome {
    let output = MemorySink()
    let errors = MemorySink()
    let status = await Commands.main(
      arguments: arguments,
      // A gateway running on this computer must not influence the test.
      environment: environment.merging(["FOOTBRIDGE_CONFIG": ""]) { own, _ in own },
      commands: commands,
      console: Console(output: output, errors: errors))
    return Outcome(status: status, output: output.text, errors: errors.text)
  }

  /// The outcome of an invalid command line with these errors.
  static func misunderstood(_ errors: String) -> Outcome {
    Outcome(status: 2, errors: errors + "\n")
  }
}

extension Verb {
  /// Returns the verb parsed from a command line without the program's name.
  static func typed(_ arguments: String..., environment: [String: String] = [:])
    throws(Complaint) -> Self
  {
    try typed(arguments, environment: environment)
  }

  static func typed(_ arguments: [String], environment: [String: String] = [:])
    throws(Complaint) -> Self
  {
    try Terminal.Command.verb(Self.self, of: Commands.self, arguments, environment: environment)
  }

  /// Returns the verb with its default values and this change.
  static func plain(_ change: (inout Self) -> Void) -> Self {
    var verb = definition.initial([:])
    change(&verb)
    return verb
  }
}

extension Commands {
  /// The executable's commands, without their effects. Only help and completion run normally,
  /// because they only print.
  static let probes = Commands.verbs.map { verb in
    verb == HelpCommand<Commands>.self || verb == CompletionCommand<Commands>.self
      ? Terminal.Command(verb, of: Commands.self)
      : Terminal.Command(verb, of: Commands.self) { _, _ in .ok }
  }

  /// Returns the commands without effects, except that the demo runs this closure.
  static func demo(
    _ body: @escaping @Sendable (any Verb, Console) async throws -> Terminal.ExitStatus
  ) -> [Terminal.Command] {
    probes.map {
      $0.name == "demo" ? Terminal.Command(DemoCommand.self, of: Commands.self, body: body) : $0
    }
  }
}
