/// A program with commands: the one list that parser, help, manual page and completion come from.
public protocol CommandProgram: SendableMetatype {
  /// Its name.
  static var name: String { get }
  /// The purpose of the program: a phrase, no capital and no full stop.
  static var purpose: String { get }
  /// What the program does.
  static var introduction: String { get }
  /// The commands, in the order of the help.
  static var verbs: [any Verb.Type] { get }
  /// How it may end.
  static var statuses: [ExitStatus] { get }
}

extension CommandProgram {
  /// Name and version, as `--version` prints them.
  static var version: String { "\(name) \(Version.number)" }

  /// Its commands.
  static var all: [Command] { verbs.map { Command($0) } }
}

/// The commands of `footbridge`.
enum Commands: CommandProgram {
  static let statuses = ExitStatus.allCases
  static let name = Version.program
  static let purpose = "record motion sensors with positions"
  static let introduction =
    "Records MetaWear motion sensors, tags every sample with a position and exports the result."
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
    SimulateCommand.self, GPSCommand.self, ReceiveCommand.self, WebCommand.self,
    CompletionCommand<Commands>.self, CompleteCommand.self, HelpCommand<Commands>.self,
  ]
}
