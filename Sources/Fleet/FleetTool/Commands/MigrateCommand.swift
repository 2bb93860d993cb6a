internal import Fleet
internal import Terminal

/// `footbridge-fleet migrate`: creates or updates the database tables.
struct MigrateCommand: Verb {
  var database: DatabaseChoice
  var reportsJSON = false

  static let definition = CommandDefinition<MigrateCommand>(
    name: "migrate",
    summary: "create or update the tables",
    discussion: """
      Creates the tables of the database, or updates them to this release. It can run at any time, \
      even several times at once.

      Put a password into ~/.pgpass or $PGPASSWORD, not into the address: other users of the \
      computer can see the arguments of a program.

      Example: footbridge-fleet migrate --database postgres://footbridge@db1,db2/walks
      """,
    initial: { MigrateCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    // A migration may take up to a day.
    let fleet = try FleetDatabase(database.checked(by: "migrate"), limit: 86_400)
    return try console.print(FleetText.migrated(fleet.migrate()), asJSON: reportsJSON)
  }
}
