internal import Terminal

public enum Footbridge {
  /// Runs `footbridge` with this process's arguments, and exits.
  public static func runProcess() -> Never { Commands.runProcess() }
}

/// The commands of `footbridge`.
enum Commands: CommandProgram {
  static let statuses = ExitStatus.allCases
  static let name = Version.program
  static let release = Version.number
  static let date = Version.date
  static let commit = Version.commit
  static let purpose = "record motion sensor data with positions"
  static let introduction =
    "Records samples from MetaWear motion sensors, tags each with a position, and exports them."
  static let verbs: [any Verb.Type] = [
    DemoCommand.self, SetupCommand.self, ScanCommand.self, PairCommand.self, BoardsCommand.self,
    IdentifyCommand.self, StreamCommand.self, RecordCommand.self, RunCommand.self,
    StatusCommand.self, StartCommand.self, StopCommand.self, PauseCommand.self,
    ResumeCommand.self, ConfigCommand.self,
    DefinitionsCommand.self, DoctorCommand.self, ReportCommand.self, ForecastCommand.self,
    SessionsCommand.self, ShowCommand.self,
    SessionCommand.self,
    HazardCommand.self, AnnotateCommand.self, TaskCommand.self, SurveyCommand.self,
    ExportCommand.self, VerifyCommand.self, AuditCommand.self, ImportCommand.self,
    DeleteCommand.self,
    StoreCommand.self, DestinationCommand.self, UploadCommand.self, UploadsCommand.self,
    FetchCommand.self, ResetCommand.self, ForgetCommand.self, SensorsCommand.self,
    SimulateCommand.self, GPSCommand.self, ReceiveCommand.self, WebCommand.self,
    CompletionCommand<Commands>.self, CompleteCommand.self, HelpCommand<Commands>.self,
  ]
  static let completedNames: String? = "the names of known boards"

  static func remedy(forUnknown command: String) -> String? {
    command == "fleet" ? "use the separate program for fleets: 'footbridge-fleet list'" : nil
  }

  static func seeAlso(_ command: Command?) -> [ManualPage] {
    let readsConfiguration = command?.options.contains {
      $0.environmentVariable == ConfigurationLocation.variable
    }
    return readsConfiguration ?? true ? [ConfigurationManual.page] : []
  }

  static func prepare(
    _ verb: any Verb, _ words: [String], _ console: Console
  ) async throws -> ExitStatus? {
    if let verb = verb as? any StoreVerb, verb.isAboutStore {
      try verb.store.announce(on: console)
    }
    guard let errand = verb as? any ErrandVerb,
      let result = try errand.byGateway(words, console)
    else { return nil }
    try console.print(result)
    return .ok
  }

  static func completed(
    _ remedy: String, after arguments: [String], of options: [OptionDescription]
  ) -> String { RepeatedOptions(arguments, of: options).repeated(in: remedy) }
}
