internal import LinuxSystem
internal import Sharing
internal import Terminal
internal import Values

/// `footbridge-fleet watch`: shows the positions and states of the gateways until interrupted.
struct WatchCommand: Verb {
  var database: DatabaseChoice
  /// The broker to watch. If no broker is specified, the database is polled.
  var broker = BrokerChoice()
  var reportsJSON = false

  static let definition = CommandDefinition<WatchCommand>(
    name: "watch", summary: "show the positions and states of the gateways",
    discussion: """
      Shows the position and state of each gateway until Ctrl-C. With --broker, it shows messages \
      as they arrive. Otherwise it reads them once a second from the database, where an upload \
      server with --live stores them. A gateway without a recent message is marked as stale.
      """,
    initial: { WatchCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) }
      + BrokerChoice.options(
        "broker", areSeveral: false, help: "watch this MQTT broker instead of the database"
      ).map { $0.lifted(into: \.broker) } + [
        .flag("json", help: "print a JSON object for each change", sets: \.reportsJSON)
      ])

  /// Seconds between checks for changed states.
  private static let seconds = 0.2

  func run(_ console: Console) async throws -> ExitStatus {
    let broker = try broker.checked(asOption: "broker", of: "\(FleetProgram.name) watch")
    let watch = FleetWatch(console)
    let signals = Signals(console)
    if let broker {
      try watch.follow(broker.settings, fleet: broker.fleets[0])
    } else {
      _ = try database.opened(by: "watch")
      try watch.follow(databaseAt: database.checked(by: "watch"))
    }
    defer { watch.stop() }
    let output = LiveOutput(on: console)
    let paints = console.isTerminal && !reportsJSON
    while signals.status == .ok {
      let now = BootClock.now()
      let (lines, view) = watch.news(at: now) { fleet, changes in
        (
          paints ? [] : changes.map { text(of: $0, fleet.gateways[$0.gateway], at: now) },
          paints ? FleetTable.table(fleet, at: now) : []
        )
      }
      output.take(lines)
      if paints { console.paint(view) }
      if let failure = console.failure { throw failure }
      _ = try? await signals.cancelling { try await Pause.seconds(Self.seconds) }
    }
    console.finishPainting()
    try output.finish()
    return signals.status
  }

  private func text(
    of change: LiveFleet.Change, _ gateway: LiveGateway?, at now: BootTime
  ) -> String {
    guard reportsJSON else { return FleetTable.line(change.gateway, gateway, at: now) }
    return (gateway ?? LiveGateway(name: change.gateway))
      .json(gateway == nil ? .gone : change.news, at: now).text
  }
}
