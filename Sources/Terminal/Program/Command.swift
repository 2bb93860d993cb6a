/// A subcommand: its configuration, filled in from the command line, and its effect.
///
/// Each verb has one file and one line in the `verbs` of its program, or is a program itself.
public protocol Verb: Hashable, Sendable {
  /// Its name, its help and its arguments.
  static var definition: CommandDefinition<Self> { get }

  /// Runs the command, and returns the exit status.
  func run(_ console: Console) async throws -> ExitStatus
}

/// A verb without the type of its configuration, for help, manual page, completion and parser.
public struct Command: Sendable {
  /// The word typed on the command line.
  public let name: String
  /// Everything typed before its own arguments, as in `footbridge demo`.
  public let call: String
  /// One line for the list of commands: a phrase, no capital and no full stop.
  let summary: String
  /// Paragraphs for its own help.
  let discussion: String
  /// Its own options, besides those of `CommonConfiguration`.
  public let options: [OptionDescription]
  /// Its operands, in order.
  let operands: [OperandDescription]
  /// Whether help and completion list it.
  let isListed: Bool

  /// The result of parsing a command line.
  enum Prepared: Sendable {
    /// Help was requested.
    case help
    /// Everything is set, and the body can run.
    case ready(Console.Level, @Sendable (Console) async throws -> ExitStatus)
  }

  /// Reads arguments (those after the name) and environment; opens nothing.
  let prepare:
    @Sendable (
      _ arguments: [String], _ common: CommonConfiguration, _ environment: [String: String]
    ) throws(Complaint) -> Prepared

  /// The command of a verb in a program, or of an executable with this verb alone. Tests give
  /// another `body`, to see only the configuration.
  init<V: Verb>(
    _ verb: V.Type, of program: (any CommandProgram.Type)? = nil,
    body: @escaping @Sendable (any Verb, Console) async throws -> ExitStatus = {
      try await $0.run($1)
    }
  ) {
    let definition = verb.definition
    name = definition.name
    let call = Self.call(definition.name, of: program)
    self.call = call
    summary = definition.summary
    discussion = definition.discussion
    options = definition.options.map(\.description)
    operands = definition.operands.map(\.description)
    isListed = definition.isListed
    prepare = { (arguments, common, environment) throws(Complaint) in
      let invocation = try Self.invocation(verb, call, arguments, common, environment)
      if invocation.common.wantsHelp { return .help }
      return .ready(invocation.common.level) { [verb = invocation.verb] console in
        let console = console.completing {
          program?.completed($0, after: arguments, of: definition.options.map(\.description)) ?? $0
        }
        do {
          let words = [definition.name] + arguments
          if let status = try await program?.prepare(verb, words, console) { return status }
          return try await body(verb, console)
        } catch let error as OutputError {
          throw error
        } catch {
          var complaint = Complaint(explaining: error)
          complaint.remedy = console.complete(complaint.remedy)
          throw complaint
        }
      }
    }
  }

  /// A verb of a program, filled in from arguments and environment.
  public static func verb<V: Verb>(
    _ verb: V.Type, of program: any CommandProgram.Type, _ arguments: [String],
    environment: [String: String]
  ) throws(Complaint) -> V {
    let call = call(verb.definition.name, of: program)
    return try invocation(verb, call, arguments, CommonConfiguration(), environment).verb
  }

  private static func call(_ name: String, of program: (any CommandProgram.Type)?) -> String {
    program.map { "\($0.name) \(name)" } ?? name
  }

  private static func invocation<V: Verb>(
    _ verb: V.Type, _ call: String, _ arguments: [String], _ common: CommonConfiguration,
    _ environment: [String: String]
  ) throws(Complaint) -> Invocation<V> {
    let definition = verb.definition
    var invocation = Invocation(verb: definition.initial(environment), common: common)
    let parser = ArgumentParser<Invocation<V>>(
      command: call,
      options: definition.options.map { $0.lifted(into: \.verb) }
        + CommonConfiguration.options.map { $0.lifted(into: \.common) },
      operands: definition.operands.map { $0.lifted(into: \.verb) })
    try parser.parse(arguments, into: &invocation)
    return invocation
  }

  /// Reads the arguments after the command's name, then shows its help or runs its body.
  func run(
    _ arguments: [String], common: CommonConfiguration, environment: [String: String],
    console: Console
  ) async throws -> ExitStatus {
    switch try prepare(arguments, common, environment) {
    case .help:
      try console.print(HelpText.command(self))
      return .ok
    case .ready(let level, let body):
      return try await body(console.reporting(level))
    }
  }
}

/// The description of a verb, with the type that its options fill in.
public struct CommandDefinition<Configuration: Sendable>: Sendable {
  /// See `Command.name`.
  public let name: String
  /// See `Command.summary`.
  let summary: String
  /// See `Command.discussion`.
  let discussion: String
  /// The configuration before any option, from the environment.
  public let initial: @Sendable (_ environment: [String: String]) -> Configuration
  let options: [Option<Configuration>]
  /// Its operands, in order.
  let operands: [Operand<Configuration>]
  /// See `Command.isListed`.
  let isListed: Bool

  /// A definition. Texts are as `Command` describes them.
  public init(
    name: String, summary: String, discussion: String,
    initial: @escaping @Sendable (_ environment: [String: String]) -> Configuration,
    options: [Option<Configuration>] = [], operands: [Operand<Configuration>] = [],
    isListed: Bool = true
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.initial = initial
    self.options = options
    self.operands = operands
    self.isListed = isListed
  }
}

/// Everything that a command line fills in: the verb's own configuration and the common one.
private struct Invocation<V: Verb>: Sendable {
  var verb: V
  var common: CommonConfiguration
}
