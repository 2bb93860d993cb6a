internal import CommandLineTool
internal import Fleet
internal import LinuxSystem
internal import Recording
internal import Terminal

/// `footbridge-fleet show`: shows a gateway and the data that it has sent.
struct ShowCommand: Verb {
  var database: DatabaseChoice
  var name = ""
  var reportsJSON = false
  var isInUTC = false

  static let definition = CommandDefinition<ShowCommand>(
    name: "show", summary: "show a gateway and the data that it has sent",
    discussion: """
      Shows a gateway or a reader: its token, when it was last seen, and the number of its \
      sessions, chunks and samples in the fleet.
      """,
    initial: { ShowCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
      .utc(sets: \.isInUTC),
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    let fleet = try database.opened(by: "show")
    guard let member = try fleet.members().first(where: { $0.name == name }) else {
      throw database.explain(.unknown, name)
    }
    let amount = try member.gateway.map { gateway throws(StoreError) in
      try fleet.amount(of: gateway)
    }
    return try console.print(
      FleetText.member(member, amount, now: BootClock.systemTime(), inUTC: isInUTC),
      asJSON: reportsJSON)
  }
}
