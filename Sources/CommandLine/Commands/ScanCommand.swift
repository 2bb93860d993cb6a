internal import BlueZ
internal import DBus
internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// `footbridge scan`: listens to the end of the time, or to a signal.
struct ScanCommand: Verb {
  /// Length of the scan; `nil` for the usual one.
  var seconds: Double?
  /// Whether the result is JSON instead of a table.
  var reportsJSON = false
  /// Bluetooth adapters to use; all that are on if there is none.
  var adapters: [BoardAddress] = []
  /// Where the names of boards are.
  var store: StoreLocation

  /// Seconds of a scan without a terminal.
  static let usualSeconds = 10.0

  /// Its options, in the order of the help.
  static let options: [Option<ScanCommand>] = [
    .option(
      "seconds", .seconds(upTo: 86_400),
      help:
        "end after so many seconds, or as in 1:30 (default: at Ctrl-C on a terminal, else after 10)",
      sets: \.seconds),
    .flag("json", help: "print the devices as JSON at the end", sets: \.reportsJSON),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<ScanCommand>(
    name: "scan", summary: "show the boards that are in reach",
    discussion: """
      Listens for advertisements and shows who was heard: boards first, then other devices. \
      On a terminal the table is kept up to date; elsewhere it is printed once, at the end.

      A board that does not appear sleeps, is out of reach, or is connected to a phone or \
      another computer: connected boards do not advertise.
      """,
    initial: { ScanCommand(store: StoreLocation(environment: $0)) },
    options: options)

  /// How often the table is brought up to date.
  private static let interval = Duration.milliseconds(250)

  func run(_ console: Console) async throws -> ExitStatus {
    let log = Guarded(SightingLog(store.names(console)))
    let paints = console.isTerminal && !reportsJSON && console.level > .quiet
    let seconds = self.seconds ?? (paints ? nil : ScanCommand.usualSeconds)
    let signals = Signals(console)
    let began = BootClock.now()
    let connected = try await signals.cancelling {
      try await BlueZRadio(
        .system, Radio.Settings(adapters: adapters, shape: .metaWear),
        BlueZRadio.Listener { console.report($0) })
    }
    guard let radio = connected else { return signals.status }
    let show = Task {
      while !Task.isCancelled, paints {
        Self.paint(log.withLock { $0.sightings }, since: began, console)
        try? await Task.sleep(for: Self.interval)
      }
    }
    do {
      _ = try await signals.cancelling {
        try await radio.scan(seconds: seconds) { devices in
          let new = log.withLock { $0.note(devices) }
          if !paints { for sighting in new { Self.tell(sighting, console) } }
          return false
        }
      }
    } catch {
      show.cancel()
      await radio.close()
      throw error
    }
    show.cancel()
    await radio.close()
    await show.value
    let sightings = log.withLock { $0.sightings }
    let table = ScanTable(sightings, now: BootClock.now())
    if reportsJSON {
      try console.print(table.json.text)
    } else if paints {
      Self.paint(sightings, since: began, console)
    } else if sightings.isEmpty {
      console.notice("nothing was heard", ["remedy": "wake the board by its button"])
    } else {
      try console.print(table.lines.joined(separator: "\n"))
    }
    return signals.status
  }

  /// A board that was heard for the first time.
  private static func tell(_ sighting: Sighting, _ console: Console) {
    guard sighting.kind != .other else { return }
    console.notice(
      "heard",
      [
        "board": sighting.address.description, "name": sighting.name ?? "",
        "rssi": sighting.rssi.map(String.init) ?? "unknown",
      ])
  }

  private static func paint(_ sightings: [Sighting], since began: BootTime, _ console: Console) {
    let now = BootClock.now()
    console.paint(
      ScanTable(sightings, now: now)
        .view(elapsed: now.seconds(since: began), width: console.width))
  }
}
