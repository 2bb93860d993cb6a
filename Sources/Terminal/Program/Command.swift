/// A subcommand: a configuration that the command line fills in, and the action to run.
///
/// Each verb has its own file. A verb is listed in its program's `verbs`, or is a program in its
/// own right.
public protocol Verb: Hashable, Sendable {
  static var definition: CommandDefinition<Self> { get }

  func run(_ console: Console) async throws -> ExitStatus
}

/// A verb with its configuration type erased. The help, the manual page, completion and the parser
/// use it.
public struct Command: Sendable {
  /// The word typed on the command line.
  public let name: String
  /// The words typed before the command's own arguments, such as `footbridge demo`.
  public let call: String
  /// A one-line description for the list of commands: a phrase in lower case without a full stop.
  let summary: String
  /// The paragraphs of this command's help that follow its usage line.
  let discussion: String
  /// The command's own options, in addition to those of `CommonConfiguration`.
  public let options: [OptionDescription]
  /// The operands, in the order in which they are typed.
  let operands: [OperandDescription]
  /// Whether the help and completion list this command.
  let isListed: Bool

  /// The result of parsing a command line.
  enum Prepared: Sendable {
    case help
    /// The arguments are valid, and the body can run.
    case ready(Console.Level, @Sendable (Console) async throws -> ExitStatus)
  }

  /// Parses the arguments that follow the command's name, and the environment. Does not open any
  /// file or device.
  let prepare:
    @Sendable (
      _ arguments: [String], _ common: CommonConfiguration, _ environment: [String: String]
    ) throws(Complaint) -> Prepared

  /// Creates the command for a verb. If `program` is `nil`, the executable consists of this verb
  /// alone. Tests pass another `body` to inspect the configuration.
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

  /// Returns a verb with its configuration filled in from the arguments and the environment.
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

  /// Reads the arguments after the command's name, then shows the help or runs the body.
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

/// The description of a verb, including the options and operands that fill in its configuration.
public struct CommandDefinition<Configuration: Sendable>: Sendable {
  /// See `Command.name`.
  public let name: String
  /// See `Command.summary`.
  let summary: String
  /// See `Command.discussion`.
  let discussion: String
  /// Returns the configuration with no options applied. It may depend on the environment.
  public let initial: @Sendable (_ environment: [String: String]) -> Configuration
  let options: [Option<Configuration>]
  /// The operands, in the order in which they are typed.
  let operands: [Operand<Configuration>]
  /// See `Command.isListed`.
  let isListed: Bool

  /// Creates a definition. For the format of the strings, see the properties of `Command`.
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

/// The values that a command line fills in: the verb's own configuration and the common one.
private struct Invocation<V: Verb>: Sendable {
  var verb: V
  var common: CommonConfiguration
}
