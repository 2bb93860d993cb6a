internal import Fleet
internal import LinuxSystem
internal import Terminal

/// `footbridge-fleet list`: lists all gateways and readers.
struct ListCommand: Verb {
  var database: DatabaseChoice
  var reportsJSON = false

  static let definition = CommandDefinition<ListCommand>(
    name: "list", summary: "list gateways and readers",
    discussion: """
      Lists the gateways and readers of the fleet, when each gateway was last seen, and whether \
      its token is valid.
      """,
    initial: { ListCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    let members = try database.opened(by: "list").members()
    return try console.print(
      FleetText.list(
        members, now: BootClock.systemTime(), adding: database.command("add", "NAME")),
      asJSON: reportsJSON)
  }
}
