/// The bodies of the commands, by which the executable and tests differ.
public struct Commands: Sendable {
  /// What a command does with its complete configuration.
  public typealias Body<Configuration> =
    @Sendable (Configuration, Console) async throws -> ExitStatus

  /// Body of `footbridge demo`.
  public var demo: Body<DemoConfiguration>
  /// Body of `footbridge boards`.
  public var boards: Body<BoardsConfiguration>
  /// Body of `footbridge stream`.
  public var stream: Body<StreamConfiguration>
  /// Body of `footbridge record`.
  public var record: Body<RecordConfiguration>
  /// Body of `footbridge sensors`.
  public var sensors: Body<SensorsConfiguration>
  /// Body of `footbridge simulate`.
  public var simulate: Body<SimulateConfiguration>
  /// Body of `footbridge inspect`.
  public var inspect: Body<InspectConfiguration>

  /// Commands with these bodies.
  public init(
    demo: @escaping Body<DemoConfiguration>, boards: @escaping Body<BoardsConfiguration>,
    stream: @escaping Body<StreamConfiguration>, record: @escaping Body<RecordConfiguration>,
    sensors: @escaping Body<SensorsConfiguration>,
    simulate: @escaping Body<SimulateConfiguration>,
    inspect: @escaping Body<InspectConfiguration>
  ) {
    self.demo = demo
    self.boards = boards
    self.stream = stream
    self.record = record
    self.sensors = sensors
    self.simulate = simulate
    self.inspect = inspect
  }

  /// All commands in the order of the help: the one list that parsing, help, manual page and
  /// completion come from.
  public var list: [Command] {
    [
      DemoConfiguration.command(body: demo),
      BoardsConfiguration.command(body: boards),
      StreamConfiguration.command(body: stream),
      RecordConfiguration.command(body: record),
      SensorsConfiguration.command(body: sensors),
      SimulateConfiguration.command(body: simulate),
      InspectConfiguration.command(body: inspect),
      HelpConfiguration.command(explaining: { self.list }),
    ]
  }
}
