internal import BlueZ
internal import DBus
internal import Gateway
internal import LinuxSystem
internal import Values

/// Body of `footbridge scan`: listens to the end of the time, or to a signal.
enum ScanRun {
  /// How often the table is brought up to date.
  private static let interval = Duration.milliseconds(250)

  static let body: Commands.Body<ScanConfiguration> = { configuration, console in
    let log = Guarded(SightingLog(try configuration.store.directory()))
    let paints = console.isTerminal && !configuration.reportsJSON && console.level > .quiet
    let seconds = configuration.seconds ?? (paints ? nil : ScanConfiguration.usualSeconds)
    let signals = Signals(console)
    let began = BootClock.now()
    let connected = try await signals.cancelling {
      try await BlueZRadio(
        .system, Radio.Settings(adapters: configuration.adapters, shape: .metaWear),
        BlueZRadio.Listener { console.report($0) })
    }
    guard let radio = connected else { return signals.status }
    let show = Task {
      while !Task.isCancelled, paints {
        paint(log.withLock { $0.sightings }, since: began, console)
        try? await Task.sleep(for: interval)
      }
    }
    do {
      _ = try await signals.cancelling {
        try await radio.scan(seconds: seconds) { devices in
          let new = log.withLock { $0.note(devices) }
          if !paints { for sighting in new { tell(sighting, console) } }
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
    if configuration.reportsJSON {
      try console.print(table.json.text)
    } else if paints {
      paint(sightings, since: began, console)
    } else if sightings.isEmpty {
      console.notice("nobody was heard", ["remedy": "wake the board by its button"])
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

  private static func paint(
    _ sightings: [Sighting], since began: BootTime, _ console: Console
  ) {
    let now = BootClock.now()
    console.paint(
      ScanTable(sightings, now: now)
        .view(elapsed: now.seconds(since: began), width: console.width))
  }
}
