internal import Recording

extension StoreError {
  /// The error of a fleet's database, with its remedy. Whatever may pass by itself is `.busy`: the
  /// gateway keeps its data and comes again.
  init(_ error: PostgresError, doing: String) {
    let (kind, remedy): (Kind, String) =
      switch error.kind {
      case .unreachable:
        (.busy, "see that the database runs, and that its address is right")
      case .unknownOutcome:
        (
          .busy,
          "see that the standbys of the database answer; "
            + (doing == "change"
              ? "then 'footbridge-fleet list' tells whether it was done"
              : "the gateway sends again")
        )
      case .repeatable: (.busy, "try again: other transactions were in the way")
      case .missing: (.cannotOpen, "bring the tables up to date: " + FleetDatabase.migration())
      case .full: (.full, "make room on the disk of the database")
      case .denied: (.cannotOpen, "see user, password and rights in the database")
      case .noDatabase:
        (.cannotOpen, "make the database with 'createdb', or correct its name in the address")
      case .other: (.other, "see the log of the database")
      }
    self.init(kind, "cannot \(doing) the fleet's database: \(error)", remedy: remedy)
  }
}
