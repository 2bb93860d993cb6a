internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
internal import Simulation
internal import Terminal
internal import Values

/// `footbridge simulate`: serves a simulated world until a signal ends it.
struct SimulateCommand: Verb {
  /// A model of board that can be simulated.
  enum Model: String, CaseIterable, Hashable, Sendable {
    /// MetaMotion S.
    case metaMotionS = "S"
    /// MetaMotion RL.
    case metaMotionRL = "RL"
    /// MetaMotion C.
    case metaMotionC = "MMC"
    /// MetaWear C.
    case metaWearC = "C"
    /// MetaWear R.
    case metaWearR = "R"
    /// MetaEnvironment.
    case metaEnvironment = "ENV"
  }

  /// A release of BlueZ that can be imitated.
  enum Release: String, CaseIterable, Hashable, Sendable {
    /// Debian 12.
    case v5_66 = "5.66"
    /// Ubuntu 24.04.
    case v5_72 = "5.72"
    /// Debian 13.
    case v5_82 = "5.82"
    /// Later ones.
    case v5_84 = "5.84"
  }

  /// Simulated boards.
  var boards = 1
  /// Simulated adapters, each of which hears every board.
  var adapters = 1
  /// Simulated devices that are no boards.
  var strangers = 0
  /// The model of all boards.
  var model = Model.metaMotionS
  /// Whether a GPS receiver is simulated too.
  var simulatesGPS = false
  /// What the simulated signals and positions are derived from.
  var seed: UInt64 = 1
  /// What happens to the boards.
  var wearer = WearerRequest.walking
  /// What goes wrong with the boards.
  var faults: [FaultRequest] = []
  /// The release of BlueZ whose ways the service has.
  var release = Release.v5_72
  /// What goes wrong with the service and its adapters.
  var daemonFaults: [DaemonFaultRequest] = []
  /// Whether what others need to know is printed as JSON instead of text.
  var reportsJSON = false
  /// Whether only lines for a shell are printed, while the simulation goes on in the background.
  var servesShell = false
  /// The descriptor by which the process in the background sees the end of the shell; `nil` in the
  /// one that starts it.
  var shellDescriptor: Int32?
  /// Whether the boards' packets go over standard input and output instead of a bus.
  var exchangesPackets = false
  /// The store for recordings of the simulated world.
  var store = ""
  /// A program with its arguments that is run in the simulated world; empty for none.
  var commandLine: [String] = []

  /// The variable in which the process in the background gets `shellDescriptor`.
  static let shellVariable = "FOOTBRIDGE_SIMULATION_SHELL"
  /// The variable with the path of the simulated receiver, for a shell or a program.
  static let receiverVariable = "FOOTBRIDGE_SIMULATION_GPS"
  /// The variable with the id of the process in the background, for the shell.
  static let processVariable = "FOOTBRIDGE_SIMULATION_PID"

  /// Its options, in the order of the help.
  static let options: [Option<SimulateCommand>] = {
    let initial = SimulateCommand()
    return [
      .option(
        "boards", .wholeNumber("N", in: 1...10), default: initial.boards,
        help: "number of simulated boards, 1 to 10", sets: \.boards),
      .option(
        "adapters", .wholeNumber("N", in: 1...4), default: initial.adapters,
        help: "number of simulated adapters, 1 to 4, each of which hears every board",
        sets: \.adapters),
      .option(
        "strangers", .wholeNumber("N", in: 0...10), default: initial.strangers,
        help: "number of other Bluetooth devices in reach, 0 to 10", sets: \.strangers),
      .option(
        "model", .word(), default: initial.model,
        help: "model of the boards: MetaMotion S, RL or C, MetaWear C or R, MetaEnvironment",
        sets: \.model),
      .flag(
        "gps", help: "simulate a GPS receiver on a pseudo-terminal too", sets: \.simulatesGPS),
      .option(
        "seed", .wholeNumber("N", in: 0...UInt64.max), default: initial.seed,
        help: "start of the random numbers; the same seed gives the same signals", sets: \.seed),
      .wearer(sets: \.wearer),
      .option(
        "fault", .fault, help: "make something go wrong with every board; see above", adds: \.faults
      ),
      .option(
        "bluez", .word("RELEASE"), default: initial.release,
        help: "behave like this release of BlueZ: 5.66, 5.72, 5.82 or 5.84", sets: \.release),
      .option(
        "daemon-fault", .daemonFault, help: "make something go wrong with the service; see above",
        adds: \.daemonFaults),
      .flag("json", help: "print addresses and device paths as JSON", sets: \.reportsJSON),
      .flag(
        "shell", excludes: ["json", "packets"],
        help: "print lines for a shell and go on in the background; see above",
        sets: \.servesShell, to: true),
      .flag(
        "packets", help: "exchange packets on standard input and output; see above",
        sets: \.exchangesPackets),
    ]
  }()

  /// Its operands.
  static let operands: [Operand<SimulateCommand>] = [
    .commandLine("COMMAND", excludes: ["json", "shell", "packets"], adds: \.commandLine)
  ]

  static let definition = CommandDefinition<SimulateCommand>(
    name: "simulate", summary: "offer simulated boards on a private bus until interrupted",
    discussion: """
      Starts a private D-Bus with a Bluetooth service whose boards are simulated, prints how \
      to reach it and serves it until it is interrupted.

      footbridge simulate -- COMMAND runs COMMAND in that world and ends with its exit status: \
      DBUS_SYSTEM_BUS_ADDRESS is set for it, and with --gps \(receiverVariable) to the \
      receiver's path. \(StoreLocation.simulationVariable) is set to a store beside your own, so \
      that simulated sessions stay apart from real ones.

      eval "$(footbridge simulate --shell)" sets them in a shell instead, and the simulation \
      goes on in the background until the shell ends, or kill $\(processVariable).

      Example: footbridge simulate -- footbridge record --seconds 10

      A fault is KIND@SECONDS or KIND@SECONDS:VALUE, counted from the start; --fault may be \
      given more than once. Of the next notifications, drop loses, duplicate doubles and \
      garbage spoils VALUE (1). For VALUE seconds, outage loses all of them and delay holds \
      them up (1), mute ignores commands and hang does nothing at all (for ever). disconnect \
      ends the link, reboot restarts the board, halt silences the sensor VALUE \
      (accelerometer, or gyroscope), and battery runs empty within VALUE seconds (60).

      Faults of the service happen to every board and the first adapter. no-reply leaves the \
      next call of VALUE (connect, acquire-notify, stop-notify, listing) unanswered. abort \
      fails VALUE links (1), no-objects hides the objects of VALUE links (1, or always until \
      the device is removed), late-objects shows them VALUE seconds late (1). slow-stop \
      answers the end of notifications after VALUE seconds (5), slow-disconnect ends links \
      VALUE seconds later (5), early loses what boards send in the VALUE seconds before they \
      are subscribed (0.1), and empty is a notification without bytes. wedge refuses discovery \
      until VALUE (stop, or power for a power cycle); with silence nothing is heard for VALUE \
      seconds (for ever). off, on, block and unblock switch the adapter, unplug removes it, plug \
      brings it back with a number higher by VALUE (1). gone takes the service and the links \
      away for VALUE seconds (3), restart the service alone, crash does as gone at the next \
      removal of a device. denied forbids the method VALUE (Connect). held gives the boards \
      to another central for VALUE seconds (for ever), bootloader restarts them into their \
      bootloader, bond has them demand a bond. \
      foreign-notify, foreign-scan and foreign-link are another client that acquired the \
      notifications, scans, or linked the boards.

      With --packets there is no bus. What the boards send is written as lines of JSON, and \
      lines such as "connect 0", "listen 0 on", "write 0 0380", "disconnect 0" and "counts" \
      are read, until there are no more: for a radio that another program simulates.
      """,
    initial: { environment in
      var configuration = SimulateCommand()
      configuration.shellDescriptor = environment[shellVariable].flatMap(Int32.init)
      configuration.store = StoreLocation.simulation(environment)
      return configuration
    }, options: options, operands: operands)
}

extension SimulateCommand {
  func run(_ console: Console) async throws -> ExitStatus {
    if exchangesPackets { return try await servePackets(console) }
    if servesShell { return try await serveShell(console) }
    if let program = commandLine.first {
      let arguments = Array(commandLine.dropFirst())
      return try await run(program, arguments, console)
    }
    let signals = Signals(console)
    let world = try self.world()
    defer { world.stop() }
    try console.print(
      reportsJSON ? Self.json(world) : text(world).joined(separator: "\n"))
    await signals.wait()
    Self.tellComplaints(of: world, console)
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
  func variables(of world: SimulatedWorld) -> [(name: String, value: String)] {
    [
      ("DBUS_SYSTEM_BUS_ADDRESS", world.busAddress),
      (StoreLocation.simulationVariable, store),
    ] + (world.receiverPath.map { [(Self.receiverVariable, $0)] } ?? [])
  }

  /// The receiver of the simulation that the environment names.
  static func receiver(_ environment: [String: String]) -> PositionSource? {
    environment[receiverVariable].flatMap { PositionSource($0) }
  }

  /// Lets another program be the radio, until it has no more to say.
  private func servePackets(_ console: Console) async throws -> ExitStatus {
    guard !simulatesGPS, adapters == 1, daemonFaults.isEmpty else {
      throw Complaint.usage(
        "--packets does not go with --gps, --adapters and --daemon-fault",
        remedy: "start another simulation for them", command: "footbridge simulate")
    }
    let signals = Signals(console)
    let boards = try SimulatedWorld.boards(
      self.boards, model: boardModel, seed: seed,
      wearer: wearer.kind(), faults: faults.map(\.scheduled))
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
        .init("address", board.address), .init("name", board.name), .init("model", board.model),
      ])
    }
    return JSONValue.object([
      .init("dbus", world.busAddress),
      .init("adapters", .array(world.adapters.map { $0.description.json })),
      .init("boards", .array(boards)), .init("gps", world.receiverPath),
    ]).text
  }

  func text(_ world: SimulatedWorld) -> [String] {
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
  private func use(of world: SimulatedWorld) -> [String] {
    // It may have been built a minute ago, and not be installed.
    let program =
      ChildProcess.locate(Version.program) == nil ? ThisProcess.program : Version.program
    let record =
      [program, "record"] + world.boards.map(\.address.description)
      + (world.receiverPath.map { ["--gps", $0] } ?? [])
    return variables(of: world).map { "export \($0.name)=\(ShellText.quoted($0.value))" }
      + [ShellText.list([program, "scan"]), ShellText.list(record)]
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

extension SimulateCommand {
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
