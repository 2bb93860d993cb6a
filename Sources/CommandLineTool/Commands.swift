/// The bodies of the commands, by which the executable and tests differ.
public struct Commands: Sendable {
  /// What a command does with its complete configuration.
  public typealias Body<Configuration> =
    @Sendable (Configuration, Console) async throws -> ExitStatus

  /// Body of `footbridge demo`.
  public var demo: Body<DemoConfiguration>
  /// Body of `footbridge simulate`.
  public var simulate: Body<SimulateConfiguration>

  /// Commands with these bodies.
  public init(
    demo: @escaping Body<DemoConfiguration>, simulate: @escaping Body<SimulateConfiguration>
  ) {
    self.demo = demo
    self.simulate = simulate
  }

  /// All commands in the order of the help: the one list that parsing, help, manual page and
  /// completion come from.
  public var list: [Command] {
    [
      DemoConfiguration.command(body: demo),
      SimulateConfiguration.command(body: simulate),
      HelpConfiguration.command(explaining: { self.list }),
    ]
  }
}
