internal import LinuxSystem
internal import MetaWearProtocol
internal import Simulation
internal import Values

/// Body of `footbridge simulate`: serves a simulated world until a signal ends it.
enum SimulateRun {
  static let body: Commands.Body<SimulateConfiguration> = { configuration, console in
    if configuration.exchangesPackets { return try await servePackets(configuration, console) }
    if configuration.servesShell { return try await serveShell(configuration, console) }
    if let program = configuration.commandLine.first {
      let arguments = Array(configuration.commandLine.dropFirst())
      return try await run(program, arguments, in: configuration, console)
    }
    let signals = Signals(console)
    let world = try configuration.world()
    defer { world.stop() }
    try console.print(
      configuration.reportsJSON ? json(world) : text(world).joined(separator: "\n"))
    await signals.wait()
    tellComplaints(of: world, console)
    return signals.status
  }

  /// What a client did wrong is the most useful thing this command can tell.
  static func tellComplaints(of world: SimulatedWorld, _ console: Console) {
    for counts in world.boardCounts {
      for complaint in counts.complaints {
        console.warning("complaint", ["board": "\(counts.address)", "about": complaint])
      }
    }
    for complaint in world.complaints { console.warning("complaint", ["about": complaint]) }
  }

  /// The environment variables that make other programs use a world.
  static func variables(of world: SimulatedWorld) -> [(name: String, value: String)] {
    [("DBUS_SYSTEM_BUS_ADDRESS", world.busAddress)]
      + (world.receiverPath.map { [(SimulateConfiguration.receiverVariable, $0)] } ?? [])
  }

  /// Lets another program be the radio, until it has no more to say.
  private static func servePackets(
    _ configuration: SimulateConfiguration, _ console: Console
  ) async throws -> ExitStatus {
    guard
      !configuration.simulatesGPS, configuration.adapters == 1, configuration.daemonFaults.isEmpty
    else {
      throw Complaint.usage(
        "--packets does not go with --gps, --adapters and --daemon-fault",
        remedy: "start another simulation for them", command: "footbridge simulate")
    }
    let signals = Signals(console)
    let boards = try SimulatedWorld.boards(
      configuration.boards, model: configuration.boardModel, seed: configuration.seed,
      wearer: configuration.wearer.kind(), faults: configuration.faults.map(\.scheduled))
    let (ended, end) = AsyncStream<Never>.makeStream()
    let server = try PacketServer(
      PacketLine(boards), input: OwnedDescriptor.standardInput(),
      write: { try console.write(Array(($0 + "\n").utf8).span) }, ended: { end.finish() })
    await signals.wait(orFor: ended)
    server.stop()
    return signals.status
  }

  static func json(_ world: SimulatedWorld) -> String {
    let boards = world.boards.map { board in
      JSONValue.object([
        .init("address", .string(board.address.description)), .init("name", .string(board.name)),
        .init("model", .string(board.model)),
      ])
    }
    return JSONValue.object([
      .init("dbus", .string(world.busAddress)),
      .init("adapters", .array(world.adapters.map { .string($0.description) })),
      .init("boards", .array(boards)),
      .init("gps", world.receiverPath.map { .string($0) } ?? .null),
    ]).text
  }

  static func text(_ world: SimulatedWorld) -> [String] {
    var table = TextTable([.init("board"), .init("name"), .init("model")])
    for board in world.boards {
      table.append([board.address.description, board.name, board.model])
    }
    var lines = table.lines
    if world.adapters.count > 1 {
      lines += ["", "adapters: " + world.adapters.map(\.description).joined(separator: ", ")]
    }
    if let path = world.receiverPath { lines += ["", "GPS receiver: \(path)"] }
    return lines + ["", "To use it from another shell:"] + use(of: world).map { "  " + $0 }
      + ["", "Other programs find it there too: bluetoothctl scan le", "", "Ctrl-C ends it."]
  }

  /// The lines that have a shell and our own commands use a world.
  private static func use(of world: SimulatedWorld) -> [String] {
    // It may have been built a minute ago, and not be installed.
    let program =
      ChildProcess.locate(Version.program) == nil ? ThisProcess.program : Version.program
    let record =
      [program, "record"] + world.boards.map(\.address.description)
      + (world.receiverPath.map { ["--gps", $0] } ?? [])
    return [
      "export DBUS_SYSTEM_BUS_ADDRESS=" + ShellText.quoted(world.busAddress),
      ShellText.list([program, "scan"]), ShellText.list(record),
    ]
  }
}

extension FaultRequest {
  /// The fault as the simulation takes it.
  var scheduled: ScheduledFault {
    ScheduledFault(fault, at: seconds)
  }

  private var fault: BoardFault {
    switch kind {
    case .drop: .drop(count: count)
    case .outage: .dropAll(seconds: span)
    case .delay: .delay(seconds: span)
    case .duplicate: .duplicate(count: count)
    case .garbage: .garbage(count: count)
    case .disconnect: .disconnect
    case .reboot: .reboot
    case .mute: .stopAnswering(seconds: span)
    case .hang: .hang(seconds: span)
    case .halt: .haltSensor(sensor == .accelerometer ? .accelerometer : .gyroscope)
    case .battery: .lowBattery(seconds: span)
    }
  }
}

extension SimulateConfiguration {
  /// Starts the world that was asked for.
  func world() throws -> SimulatedWorld {
    try SimulatedWorld(
      boards: boards, adapters: adapters, model: boardModel, hasReceiver: simulatesGPS,
      seed: seed, wearer: wearer.kind(), faults: faults.map(\.scheduled), daemon: daemonSettings)
  }

  fileprivate var daemonSettings: DaemonSettings {
    guard let version = DaemonVersion(rawValue: release.rawValue) else {
      preconditionFailure("every release of the command line is one of the simulation")
    }
    var settings = DaemonSettings()
    settings.version = version
    settings.faults = daemonFaults.map(\.scheduled)
    settings.strangers = strangers
    return settings
  }

  fileprivate var boardModel: BoardModel {
    guard let model = BoardModel(named: model.rawValue) else {
      preconditionFailure("every model of the command line is one of the simulation")
    }
    return model
  }
}
