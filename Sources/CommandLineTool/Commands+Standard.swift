extension Commands {
  /// The commands as the executable has them.
  public static let standard = Commands(
    demo: DemoRun.body, boards: BoardsRun.body, stream: StreamRun.body,
    record: RecordRun.body, sensors: SensorsRun.body,
    simulate: SimulateRun.body, inspect: InspectRun.body)
}
