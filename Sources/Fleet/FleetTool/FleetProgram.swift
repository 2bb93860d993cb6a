internal import CommandLineTool
public import Terminal

/// The program `footbridge-fleet`: its commands, in the order of the help.
public enum FleetProgram: CommandProgram {
  /// What is typed.
  public static let name = "footbridge-fleet"
  /// Its release, which is that of the gateway.
  public static let release = Version.number
  /// When that came out.
  public static let date = Version.date
  /// What it is for.
  public static let purpose = "keep the sessions of many gateways in a database"
  /// What it does.
  public static let introduction = """
    Receives what many gateways send into one PostgreSQL database, gives each of them a token, and \
    shows where they are.
    """
  /// How it may end.
  public static let statuses: [ExitStatus] = [.ok, .failed, .usage, .interrupted, .terminated]
  /// Its commands.
  public static let verbs: [any Verb.Type] = [
    ReceiveCommand.self, MigrateCommand.self, AddCommand.self, ListCommand.self,
    ShowCommand.self, RotateCommand.self, RevokeCommand.self, WatchCommand.self,
    CompletionCommand<FleetProgram>.self, HelpCommand<FleetProgram>.self,
  ]
}
