internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import Simulation

/// Body of `footbridge simulate`: serves a simulated world until a signal ends it.
enum SimulateRun {
  static let body: Commands.Body<SimulateConfiguration> = { configuration, console in
    if configuration.exchangesPackets { return try await servePackets(configuration, console) }
    let signals = Signals(console)
    let world = try SimulatedWorld(
      boards: configuration.boards, adapters: configuration.adapters,
      model: configuration.boardModel,
      hasReceiver: configuration.simulatesGPS, seed: configuration.seed,
      wearer: configuration.wearer.kind(),
      faults: configuration.faults.map(\.scheduled), daemon: configuration.daemonSettings)
    defer { world.stop() }
    try console.print(
      configuration.reportsJSON ? json(world) : text(world).joined(separator: "\n"))
    await signals.wait()
    // What a client did wrong is the most useful thing this command can tell.
    for counts in world.boardCounts {
      for complaint in counts.complaints {
        console.warning("complaint", ["board": "\(counts.address)", "about": complaint])
      }
    }
    for complaint in world.complaints { console.warning("complaint", ["about": complaint]) }
    return signals.status
  }

  /// Lets another program be the radio, until it has no more to say.
  private static func servePackets(
    _ configuration: SimulateConfiguration, _ console: Console
  ) async throws -> ExitStatus {
    guard
      !configuration.simulatesGPS, configuration.adapters == 1, configuration.daemonFaults.isEmpty
    else {
      throw Complaint.usage(
        "--packets leaves no place for --gps, --adapters and --daemon-fault",
        remedy: "start another simulation for them", command: "footbridge simulate")
    }
    let signals = Signals(console)
    let boards = try SimulatedWorld.boards(
      configuration.boards, model: configuration.boardModel, seed: configuration.seed,
      wearer: configuration.wearer.kind(), faults: configuration.faults.map(\.scheduled))
    let (ended, end) = AsyncStream<Void>.makeStream()
    let server = try PacketServer(
      PacketLine(boards), input: OwnedDescriptor.standardInput(),
      write: { try console.write(Array(($0 + "\n").utf8).span) }, ended: { end.finish() })
    await withTaskGroup { group in
      group.addTask { await signals.wait() }
      group.addTask { for await _ in ended {} }
      await group.next()
      group.cancelAll()
    }
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
    return lines + [
      "", "To use it from another shell:",
      "  export DBUS_SYSTEM_BUS_ADDRESS=\(world.busAddress)",
      "  bluetoothctl scan le", "", "Ctrl-C ends it.",
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
