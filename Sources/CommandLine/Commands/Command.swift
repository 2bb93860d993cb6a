/// A subcommand, whatever its configuration: what help, manual page and completion tell of it, and
/// how it is run.
public struct Command: Sendable {
  /// What is typed.
  public let name: String
  /// One line for the list of commands: a phrase, no capital and no full stop.
  public let summary: String
  /// Paragraphs for its own help.
  public let discussion: String
  /// Its own options; those of `CommonConfiguration` are accepted besides.
  public let options: [OptionDescription]
  /// Its operands, in order.
  public let operands: [OperandDescription]
  /// Whether help and completion name it.
  public let isListed: Bool

  /// A command line that was understood.
  enum Prepared: Sendable {
    /// The help was asked for.
    case help
    /// Everything is set; the body can run.
    case ready(Console.Level, @Sendable (Console) async throws -> ExitStatus)
  }

  /// Reads arguments (those after the name) and environment; opens nothing.
  let prepare:
    @Sendable (
      _ arguments: [String], _ common: CommonConfiguration, _ environment: [String: String]
    ) throws(Complaint) -> Prepared

  /// The command a definition describes; the type of its configuration ends here.
  public init<Configuration>(_ definition: CommandDefinition<Configuration>) {
    name = definition.name
    summary = definition.summary
    discussion = definition.discussion
    options = definition.options.map(\.description)
    operands = definition.operands.map(\.description)
    isListed = definition.isListed
    prepare = { (arguments, common, environment) throws(Complaint) in
      var invocation = Invocation(
        configuration: definition.initial(environment), common: common)
      let parser = ArgumentParser<Invocation<Configuration>>(
        command: "\(Version.program) \(definition.name)",
        options: definition.options.map { $0.lifted(into: \.configuration) }
          + CommonConfiguration.options.map { $0.lifted(into: \.common) },
        operands: definition.operands.map { $0.lifted(into: \.configuration) })
      try parser.parse(arguments, into: &invocation)
      if invocation.common.wantsHelp { return .help }
      return .ready(invocation.common.level) { [configuration = invocation.configuration] in
        try await definition.body(configuration, $0)
      }
    }
  }

  /// Reads the arguments after the command's name, then shows its help or runs its body.
  public func run(
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

/// A command together with the type its options fill in.
public struct CommandDefinition<Configuration: Sendable>: Sendable {
  /// See `Command.name`.
  public var name: String
  /// See `Command.summary`.
  public var summary: String
  /// See `Command.discussion`.
  public var discussion: String
  /// The configuration before any option, from the environment.
  public var initial: @Sendable (_ environment: [String: String]) -> Configuration
  /// Its own options.
  public var options: [Option<Configuration>]
  /// Its operands, in order.
  public var operands: [Operand<Configuration>]
  /// See `Command.isListed`.
  public var isListed = true
  /// What it does once its configuration is complete.
  public var body: @Sendable (Configuration, Console) async throws -> ExitStatus

  /// A command with the given parts.
  public init(
    name: String, summary: String, discussion: String,
    initial: @escaping @Sendable (_ environment: [String: String]) -> Configuration,
    options: [Option<Configuration>] = [], operands: [Operand<Configuration>] = [],
    body: @escaping @Sendable (Configuration, Console) async throws -> ExitStatus
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.initial = initial
    self.options = options
    self.operands = operands
    self.body = body
  }
}

/// What one command line fills in: the command's own configuration and the common one.
private struct Invocation<Configuration: Sendable>: Sendable {
  var configuration: Configuration
  var common: CommonConfiguration
}
