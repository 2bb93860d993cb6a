internal import Recording

extension StoreError {
  /// Converts an error from a fleet's database to a store error and adds the remedy. Every
  /// temporary failure becomes `.busy`. The gateway then keeps its data and tries again.
  init(_ error: PostgresError, doing: String) {
    let (kind, remedy): (Kind, String) =
      switch error.kind {
      case .unreachable:
        (.busy, "check that the database is running and its address is correct")
      case .unknownOutcome:
        (
          .busy,
          "check that the database's standbys are running; "
            + (doing == "change"
              ? "then run 'footbridge-fleet list' to see whether the change was made"
              : "the gateway will send the data again")
        )
      case .repeatable: (.busy, "try again: there were conflicts with other transactions")
      // These errors occur in a migration only if another program created the tables.
      case .missing where doing == "migrate", .occupied:
        (
          .cannotOpen,
          "create an empty database with 'createdb', and name it in the address: this one contains "
            + "another program's tables"
        )
      case .missing: (.cannotOpen, "update the tables: " + FleetDatabase.migration())
      case .full: (.full, "free some space on the database's disk")
      case .denied: (.cannotOpen, "check the user, password and permissions in the database")
      case .noDatabase:
        (.cannotOpen, "create the database with 'createdb', or correct its name in the address")
      case .other: (.other, "see the log of the database")
      }
    self.init(kind, "cannot \(doing) the fleet's database: \(error)", remedy: remedy)
  }
}
