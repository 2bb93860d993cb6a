internal import CommandLineTool
public import Terminal

/// The program `footbridge-fleet`. Its commands are in the order in which the help lists them.
public enum FleetProgram: CommandProgram {
  public static let name = "footbridge-fleet"
  /// The release number, which is the same as the gateway's.
  public static let release = Version.number
  public static let date = Version.date
  public static let commit = Version.commit
  public static let purpose = "keep the sessions of many gateways in a database"
  public static let introduction = """
    Receives data from many gateways into one PostgreSQL database, manages their tokens, and \
    shows their positions.
    """
  public static let statuses: [ExitStatus] = [.ok, .failed, .usage, .interrupted, .terminated]
  public static let verbs: [any Verb.Type] = [
    ReceiveCommand.self, MigrateCommand.self, AddCommand.self, ListCommand.self,
    ShowCommand.self, RotateCommand.self, RevokeCommand.self, WatchCommand.self,
    CompletionCommand<FleetProgram>.self, HelpCommand<FleetProgram>.self,
  ]
}
