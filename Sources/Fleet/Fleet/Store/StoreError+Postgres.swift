internal import Recording

extension StoreError {
  /// The error of a fleet's database, with its remedy. Everything that may pass by itself is
  /// `.busy`: the gateway keeps its data and tries again.
  init(_ error: PostgresError, doing: String) {
    let (kind, remedy): (Kind, String) =
      switch error.kind {
      case .unreachable:
        (.busy, "check that the database is running and its address is correct")
      case .unknownOutcome:
        (
          .busy,
          "check that the standbys of the database answer; "
            + (doing == "change"
              ? "then see with 'footbridge-fleet list' whether it was done"
              : "the gateway sends again")
        )
      case .repeatable: (.busy, "try again: other transactions were in the way")
      // A migration finds these only if another program made the tables.
      case .missing where doing == "migrate", .occupied:
        (
          .cannotOpen,
          "use an empty database, since this one has tables of another program: create one with "
            + "'createdb', and name it in the address"
        )
      case .missing: (.cannotOpen, "update the tables: " + FleetDatabase.migration())
      case .full: (.full, "free some space on the database's disk")
      case .denied: (.cannotOpen, "check user, password and rights in the database")
      case .noDatabase:
        (.cannotOpen, "create the database with 'createdb', or correct its name in the address")
      case .other: (.other, "see the log of the database")
      }
    self.init(kind, "cannot \(doing) the fleet's database: \(error)", remedy: remedy)
  }
}
