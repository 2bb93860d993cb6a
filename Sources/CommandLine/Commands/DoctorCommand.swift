internal import Gateway
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge doctor`: checks everything that a recording depends on, and changes nothing.
struct DoctorCommand: Verb {
  /// The source of positions to check. If `nil`, the command checks the configured source, or
  /// searches for receivers if none is configured.
  var source: PositionSource?
  /// The simulated receiver, if the command runs inside a simulation.
  var simulated: PositionSource?
  /// Whether to skip contacting destinations and brokers.
  var isOffline = false
  var reportsJSON = false
  /// The store and the configuration to check.
  var store: StoreLocation

  static let options: [Option<DoctorCommand>] = [
    .option(
      "gps", .positions,
      help:
        "the position source for the recording (default: the one in the configuration, or the "
        + "one detected)",
      sets: \.source),
    .flag("offline", help: "do not contact destinations and brokers", sets: \.isOffline),
    .flag("json", help: "print the findings as JSON", sets: \.reportsJSON),
    .config(sets: \.store.configuration),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<DoctorCommand>(
    name: "doctor", summary: "find problems on this computer",
    discussion: """
      Checks everything that a recording depends on: the Bluetooth service and its adapters, \
      permissions, receivers and gpsd, clocks, the store and its disk, destinations, the fleet's \
      broker, the service, the power supply and kernel messages. Prints one line per finding, \
      faults first, with the remedy below it.

      The checks take at most five seconds and change nothing. To measure the disk, the doctor \
      writes a small file next to the store and removes it again. The exit status is 1 if there \
      is a fault, and 0 if there are only warnings.

      Run the command as the gateway's user: root never sees permission problems. However, only \
      root sees every program that has a port open.

      Example: footbridge doctor --gps /dev/gps0
      """,
    initial: {
      DoctorCommand(
        simulated: SimulateCommand.receiver($0), store: StoreLocation(environment: $0))
    },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let reading = try store.configuration.reading()
    // Faults in the configuration file are reported as findings, so they do not end the command.
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
