internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
internal import Simulation
internal import Terminal
internal import Values

/// `footbridge simulate`: serves a simulated world until it receives a signal.
struct SimulateCommand: Verb {
  /// The board models that can be simulated.
  enum Model: String, CaseIterable, Hashable, Sendable {
    case metaMotionS = "S"
    case metaMotionRL = "RL"
    case metaMotionC = "MMC"
    case metaWearC = "C"
    case metaWearR = "R"
    case metaEnvironment = "ENV"
  }

  /// The BlueZ releases that can be imitated.
  enum Release: String, CaseIterable, Hashable, Sendable {
    /// The release in Debian 12.
    case v5_66 = "5.66"
    /// The release in Ubuntu 24.04.
    case v5_72 = "5.72"
    /// The release in Debian 13.
    case v5_82 = "5.82"
    /// The release in newer distributions.
    case v5_84 = "5.84"
  }

  /// Number of simulated boards.
  var boards = 1
  /// Number of simulated adapters, each of which hears every board.
  var adapters = 1
  /// Number of simulated Bluetooth devices that are not boards.
  var strangers = 0
  /// The model of all simulated boards.
  var model = Model.metaMotionS
  var simulatesGPS = false
  /// Random seed for signals and positions.
  var seed: UInt64 = 1
  var wearer = WearerRequest.walking
  /// The faults to inject into every board.
  var faults: [FaultRequest] = []
  /// The BlueZ release to imitate.
  var release = Release.v5_72
  /// The faults to inject into the Bluetooth service and its adapters.
  var daemonFaults: [DaemonFaultRequest] = []
  var reportsJSON = false
  /// Whether to print only shell commands and to simulate in the background.
  var servesShell = false
  /// The file descriptor on which the background process detects that the shell has exited; `nil`
  /// in the parent process.
  var shellDescriptor: Int32?
  /// Whether to exchange the boards' packets on standard input and output instead of serving a bus.
  var exchangesPackets = false
  /// The store for recordings of the simulated world.
  var store = ""
  /// A program with its arguments to run in the simulated world; empty for none.
  var commandLine: [String] = []

  /// The environment variable that passes `shellDescriptor` to the background process.
  static let shellVariable = "FOOTBRIDGE_SIMULATION_SHELL"
  /// The environment variable with the simulated receiver's path, for a shell or a program.
  static let receiverVariable = "FOOTBRIDGE_SIMULATION_GPS"
  /// The environment variable with the process id of the background process, for the shell.
  static let processVariable = "FOOTBRIDGE_SIMULATION_PID"

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
        help: "number of other Bluetooth devices in range, 0 to 10", sets: \.strangers),
      .option(
        "model", .word(), default: initial.model,
        help: "board model: MetaMotion S, RL or C, MetaWear C or R, MetaEnvironment",
        sets: \.model),
      .flag(
        "gps", help: "also simulate a GPS receiver, on a pseudo-terminal", sets: \.simulatesGPS),
      .option(
        "seed", .wholeNumber("N", in: 0...UInt64.max), default: initial.seed,
        help: "random seed; the same seed produces the same signals", sets: \.seed),
      .wearer(sets: \.wearer),
      .option(
        "fault", .fault, help: "inject a fault into every board (repeatable); see above",
        adds: \.faults),
      .option(
        "bluez", .word("RELEASE"), default: initial.release,
        help: "behave like this release of BlueZ: 5.66, 5.72, 5.82 or 5.84", sets: \.release),
      .option(
        "daemon-fault", .daemonFault,
        help: "inject a fault into the service (repeatable); see above", adds: \.daemonFaults),
      .flag("json", help: "print addresses and device paths as JSON", sets: \.reportsJSON),
      .flag(
        "shell", excludes: ["json", "packets"],
        help: "print lines for a shell and continue in the background; see above",
        sets: \.servesShell, to: true),
      .flag(
        "packets", help: "exchange packets on standard input and output; see above",
        sets: \.exchangesPackets),
    ]
  }()

  static let operands: [Operand<SimulateCommand>] = [
    .commandLine("COMMAND", excludes: ["json", "shell", "packets"], adds: \.commandLine)
  ]

  static let definition = CommandDefinition<SimulateCommand>(
    name: "simulate", summary: "simulate boards on a private bus until interrupted",
    discussion: """
      Starts a private D-Bus with a Bluetooth service and simulated boards, prints how to reach \
      it, and serves it until interrupted.

      footbridge simulate -- COMMAND runs COMMAND with that bus and returns its exit status. \
      COMMAND gets DBUS_SYSTEM_BUS_ADDRESS and, with --gps, the receiver's path in \
      \(receiverVariable). \(StoreLocation.simulationVariable) is set to a store next to your \
      own, so that simulated sessions are not mixed with real ones.

      eval "$(footbridge simulate --shell)" sets these variables in a shell instead. The \
      simulation continues in the background until the shell ends, or until kill \
      $\(processVariable).

      Example: footbridge simulate -- footbridge record --seconds 10

      A fault is KIND@SECONDS or KIND@SECONDS:VALUE, counted from the start. Defaults of VALUE are \
      in brackets. drop loses the next VALUE notifications (1), duplicate repeats them, and \
      garbage corrupts them. outage loses all notifications for VALUE seconds (1), and delay holds \
      them back. mute ignores commands for VALUE seconds (forever), and hang stops all responses. \
      disconnect ends the link, reboot restarts the board, halt silences the sensor VALUE \
      (accelerometer, or gyroscope), and battery drains the battery in VALUE seconds (60).

      Faults of the service affect every board and the first adapter. no-reply leaves the next \
      call of VALUE (connect, acquire-notify, stop-notify, listing) unanswered. abort makes \
      VALUE connection attempts fail (1). no-objects hides the objects of VALUE links (1; \
      always: until the device is removed), and late-objects shows them VALUE seconds late (1). \
      slow-stop delays the reply to stopping notifications by VALUE seconds (5), and \
      slow-disconnect ends links VALUE seconds late (5). early loses the data that boards send \
      in the VALUE seconds before a subscription is confirmed (0.1), and empty sends a \
      notification without bytes. wedge rejects discovery until VALUE (stop, or power for a power cycle); \
      silence blocks advertisements for VALUE seconds (forever). off, on, block and unblock \
      switch the adapter, unplug removes it, and plug brings it back with a number higher by \
      VALUE (1). gone removes the service and the links for VALUE seconds (3), and restart only \
      the service; crash acts like gone at the next removal of a device. denied forbids the \
      method VALUE (Connect). held connects another central to the boards for VALUE seconds \
      (forever), bootloader restarts the boards into their bootloader, and bond makes them require a \
      bond. foreign-notify, foreign-scan and foreign-link simulate another client that has \
      acquired the notifications, is scanning, or has connected to the boards.

      With --packets there is no bus. The packets of the boards are written as lines of JSON, \
      and lines such as "connect 0", "listen 0 on", "write 0 0380", "disconnect 0" and "counts" \
      are read until the end of the input, so another program can simulate the radio.
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

  /// Reports invalid requests from clients, which are the most useful result of a simulation.
  static func tellComplaints(of world: SimulatedWorld, _ console: Console) {
    for counts in world.boardCounts {
      for complaint in counts.complaints {
        console.warning("complaint", ["board": "\(counts.address)", "about": complaint])
      }
    }
    for complaint in world.complaints { console.warning("complaint", ["about": complaint]) }
  }

  /// Returns the environment variables that direct other programs to the simulated world.
  func variables(of world: SimulatedWorld) -> [(name: String, value: String)] {
    [
      ("DBUS_SYSTEM_BUS_ADDRESS", world.busAddress),
      (StoreLocation.simulationVariable, store),
    ] + (world.receiverPath.map { [(Self.receiverVariable, $0)] } ?? [])
  }

  /// Returns the simulated receiver that the environment names; `nil` if it names none.
  static func receiver(_ environment: [String: String]) -> PositionSource? {
    environment[receiverVariable].flatMap { PositionSource($0) }
  }

  /// Exchanges packets with another program, which acts as the radio, until standard input ends.
  private func servePackets(_ console: Console) async throws -> ExitStatus {
    guard !simulatesGPS, adapters == 1, daemonFaults.isEmpty else {
      throw Complaint.usage(
        "'--packets' cannot be used with '--gps', '--adapters' or '--daemon-fault'",
        remedy: "start a separate simulation for these options", command: "footbridge simulate")
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
    return lines + ["", "To use the simulation from another shell:"]
      + use(of: world).map { "  " + $0 }
      + [
        "", "Other programs can use the simulation there too: bluetoothctl scan le", "",
        "Press Ctrl-C to end the simulation.",
      ]
  }

  /// Returns the shell lines that set the environment variables, and examples of commands to run.
  private func use(of world: SimulatedWorld) -> [String] {
    // The program may be running from a build folder without being installed. In this case, the
    // lines contain the program's path.
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
  /// The fault, converted to the type that the simulation uses.
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
  /// Starts the simulated world described by the options.
  func world() throws -> SimulatedWorld {
    try SimulatedWorld(
      boards: boards, adapters: adapters, model: boardModel, hasReceiver: simulatesGPS,
      seed: seed, wearer: wearer.kind(), faults: faults.map(\.scheduled), daemon: daemonSettings)
  }

  fileprivate var daemonSettings: DaemonSettings {
    guard let version = DaemonVersion(rawValue: release.rawValue) else {
      preconditionFailure("the simulation supports every release that the command line accepts")
    }
    var settings = DaemonSettings()
    settings.version = version
    settings.faults = daemonFaults.map(\.scheduled)
    settings.strangers = strangers
    return settings
  }

  fileprivate var boardModel: BoardModel {
    guard let model = BoardModel(named: model.rawValue) else {
      preconditionFailure("the simulation supports every model that the command line accepts")
    }
    return model
  }
}
