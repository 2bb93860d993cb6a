/// All commands, in the order of the help: the one list that parser, help, manual page and
/// completion come from.
enum Commands {
  /// The verbs.
  static let verbs: [any Verb.Type] = [
    DemoCommand.self, SetupCommand.self, ScanCommand.self, PairCommand.self, BoardsCommand.self,
    IdentifyCommand.self, StreamCommand.self, RecordCommand.self, RunCommand.self,
    StatusCommand.self, StartCommand.self, StopCommand.self, PauseCommand.self,
    ResumeCommand.self, ConfigCommand.self,
    DefinitionsCommand.self, DoctorCommand.self, ReportCommand.self, ForecastCommand.self,
    SessionsCommand.self, ShowCommand.self,
    SessionCommand.self,
    HazardCommand.self, AnnotateCommand.self, ExportCommand.self, DeleteCommand.self,
    StoreCommand.self, DestinationCommand.self, UploadCommand.self, UploadsCommand.self,
    FetchCommand.self, ResetCommand.self, ForgetCommand.self, SensorsCommand.self,
    SimulateCommand.self, GPSCommand.self, ReceiveCommand.self, FleetCommand.self, WebCommand.self,
    CompletionCommand.self, CompleteCommand.self, HelpCommand.self,
  ]

  /// Their commands, as the executable has them.
  static let all = verbs.map { Command($0) }
}
