internal import Fleet
internal import Terminal

/// `footbridge-fleet migrate`: the tables of the database.
struct MigrateCommand: Verb {
  var database: DatabaseChoice
  var reportsJSON = false

  static let definition = CommandDefinition<MigrateCommand>(
    name: "migrate",
    summary: "make the tables, or bring them up to date",
    discussion: """
      Makes the tables of the database, or brings them to this release. It may be run at any time, \
      and by several at once.

      A password belongs into ~/.pgpass or $PGPASSWORD and not into the address: other users \
      of the computer see the arguments of a program.

      Example: footbridge-fleet migrate --database postgres://footbridge@db1,db2/walks
      """,
    initial: { MigrateCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    // It takes as long as it takes.
    let fleet = try FleetDatabase(database.checked(by: "migrate"), limit: 86_400)
    return try console.print(FleetText.migrated(fleet.migrate()), asJSON: reportsJSON)
  }
}
