internal import BlueZ
internal import DBus
internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// `footbridge scan`: lists Bluetooth devices in range until the time limit is reached or a signal
/// arrives.
struct ScanCommand: Verb {
  /// Length of the scan in seconds; `nil` to scan until interrupted on a terminal, or else for
  /// `usualSeconds`.
  var seconds: Double?
  var reportsJSON = false
  /// The addresses of the Bluetooth adapters to use; empty for all adapters that are powered on.
  var adapters: [BoardAddress] = []
  var store: StoreLocation

  /// Default length of a scan in seconds if the output is not a terminal.
  static let usualSeconds = 10.0

  static let options: [Option<ScanCommand>] = [
    .option(
      "seconds", .seconds(upTo: 86_400),
      help:
        "stop after N seconds, or after M:SS (default: Ctrl-C on a terminal, else 10)",
      sets: \.seconds),
    .flag("json", help: "print the devices as JSON at the end", sets: \.reportsJSON),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<ScanCommand>(
    name: "scan", summary: "show the boards in range",
    discussion: """
      Listens for advertisements and shows the devices that it finds: boards first, then others. \
      On a terminal the table is updated continuously; otherwise it is printed once, at the end.

      A board that does not appear is asleep, out of range, or connected to a phone or another \
      computer: connected boards do not advertise.
      """,
    initial: { ScanCommand(store: StoreLocation(environment: $0)) },
    options: options)

  /// The interval between two updates of the table.
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
      console.notice("no devices heard", ["remedy": "press the board's button to wake it"])
    } else {
      try console.print(table.lines.joined(separator: "\n"))
    }
    return signals.status
  }

  /// Reports a board the first time it is heard.
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
