internal import Gateway
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge doctor`: looks at everything that a recording depends on, and changes nothing.
struct DoctorCommand: Verb {
  /// Where positions come from; `nil` for those of the configuration, or to look for receivers.
  var source: PositionSource?
  /// The receiver of the simulation in which it runs.
  var simulated: PositionSource?
  /// Whether destinations are left alone.
  var isOffline = false
  /// Whether the findings are JSON instead of text.
  var reportsJSON = false
  /// The store, and the configuration.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<DoctorCommand>] = [
    .option(
      "gps", .positions,
      help: "the source of positions that will be recorded (default: that of the configuration, or "
        + "look for one)",
      sets: \.source),
    .flag("offline", help: "ask neither destinations nor brokers", sets: \.isOffline),
    .flag("json", help: "print the findings as JSON", sets: \.reportsJSON),
    .config(sets: \.store.configuration),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<DoctorCommand>(
    name: "doctor", summary: "find what is wrong with this computer",
    discussion: """
      Looks at everything that a recording depends on: the Bluetooth service and its adapters, \
      rights, receivers and gpsd, clocks, the store and its disk, destinations, the broker of the \
      fleet, the service, the power supply and the messages of the kernel. Prints a line for each \
      finding, faults first, with its remedy below it.

      It takes at most five seconds and changes nothing. To measure the disk it writes a small \
      file beside the store, and removes it again. It ends with 1 if there is a fault, and with 0 \
      if there are warnings only.

      Run it as the user who records: root never sees problems with rights. But only root sees every program \
      that has a port open.

      Example: footbridge doctor --gps /dev/gps0
      """,
    initial: {
      DoctorCommand(
        simulated: SimulateCommand.receiver($0), store: StoreLocation(environment: $0))
    },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let reading = try store.configuration.reading()
    // Faults of the configuration are findings like others.
    let path =
      reading.faults.isEmpty
      ? try store.path() : (try? store.path()) ?? reading.configuration.store
    let doctor = Doctor(
      store: path, source: source ?? reading.configuration.recording.receiver ?? simulated,
      isOffline: isOffline, configuration: reading.file)
    let signals = Signals(console)
    guard let found = try await signals.cancelling({ await doctor.diagnosis() }),
      signals.status == .ok
    else { return signals.status }
    let diagnosis = Diagnosis(
      found.findings.map { finding in
        var finding = finding
        finding.remedy = console.complete(finding.remedy)
        return finding
      })
    if reportsJSON {
      try console.print(diagnosis.json.text)
    } else if console.isTerminal {
      try console.print(diagnosis.lines(width: console.width))
    } else {
      try console.print(diagnosis.lines().map(\.text).joined(separator: "\n"))
    }
    return diagnosis.status
  }
}
