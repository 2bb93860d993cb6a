internal import Fleet
internal import Terminal

/// `footbridge-fleet rotate`: replaces a member's token.
struct RotateCommand: Verb {
  var database: DatabaseChoice
  var name = ""
  var reportsJSON = false

  static let definition = CommandDefinition<RotateCommand>(
    name: "rotate", summary: "replace a gateway's token",
    discussion: """
      Prints a new token for NAME. The token is shown only once. The old token is revoked \
      immediately.
      """,
    initial: { RotateCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    let fleet = try database.opened(by: "rotate")
    let token = try database.changing(name) { () throws(FleetDatabase.Refusal) in
      try fleet.rotate(name)
    }
    return try console.print(FleetText.rotated(name, token: token), asJSON: reportsJSON)
  }
}

/// `footbridge-fleet revoke`: revokes a member's token.
struct RevokeCommand: Verb {
  var database: DatabaseChoice
  var name = ""
  var reportsJSON = false

  static let definition = CommandDefinition<RevokeCommand>(
    name: "revoke", summary: "revoke a gateway's token",
    discussion: "Revokes the token of NAME at once. Stored sessions are kept.",
    initial: { RevokeCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    let fleet = try database.opened(by: "revoke")
    try database.changing(name) { () throws(FleetDatabase.Refusal) in try fleet.revoke(name) }
    return try console.print(FleetText.revoked(name), asJSON: reportsJSON)
  }
}
