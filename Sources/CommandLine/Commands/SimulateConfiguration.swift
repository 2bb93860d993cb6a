internal import Values

/// What `footbridge simulate` was asked to do.
public struct SimulateConfiguration: Hashable, Sendable {
  /// A model of board that can be simulated.
  public enum Model: String, CaseIterable, Hashable, Sendable {
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
  public enum Release: String, CaseIterable, Hashable, Sendable {
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
  public var boards = 1
  /// Simulated adapters, each of which hears every board.
  public var adapters = 1
  /// Simulated devices that are no boards.
  public var strangers = 0
  /// The model of all boards.
  public var model = Model.metaMotionS
  /// Whether a GPS receiver is simulated too.
  public var simulatesGPS = false
  /// What the simulated signals and positions are derived from.
  public var seed: UInt64 = 1
  /// What happens to the boards.
  public var wearer = WearerRequest.walking
  /// What goes wrong with the boards.
  public var faults: [FaultRequest] = []
  /// The release of BlueZ whose ways the service has.
  public var release = Release.v5_72
  /// What goes wrong with the service and its adapters.
  public var daemonFaults: [DaemonFaultRequest] = []
  /// Whether what others need to know is printed as JSON instead of text.
  public var reportsJSON = false
  /// Whether only lines for a shell are printed, while the simulation goes on in the background.
  public var servesShell = false
  /// The descriptor by which the process in the background sees the end of the shell; `nil` in the
  /// one that starts it.
  public var shellDescriptor: Int32?
  /// Whether the boards' packets go over standard input and output instead of a bus.
  public var exchangesPackets = false
  /// A program with its arguments that is run in the simulated world; empty for none.
  public var commandLine: [String] = []

  /// The defaults.
  public init() {}

  /// The variable in which the process in the background gets `shellDescriptor`.
  static let shellVariable = "FOOTBRIDGE_SIMULATION_SHELL"
  /// The variable with the path of the simulated receiver, for a shell or a program.
  static let receiverVariable = "FOOTBRIDGE_SIMULATION_GPS"
  /// The variable with the id of the process in the background, for the shell.
  static let processVariable = "FOOTBRIDGE_SIMULATION_PID"

  /// Its options, in the order of the help.
  public static let options: [Option<SimulateConfiguration>] = {
    let initial = SimulateConfiguration()
    return [
      .wholeNumber(
        "boards", "N", in: 1...10, default: initial.boards,
        help: "number of simulated boards, 1 to 10", sets: \.boards),
      .wholeNumber(
        "adapters", "N", in: 1...4, default: initial.adapters,
        help: "number of simulated adapters, 1 to 4, each of which hears every board",
        sets: \.adapters),
      .wholeNumber(
        "strangers", "N", in: 0...10, default: initial.strangers,
        help: "number of other Bluetooth devices in reach, 0 to 10", sets: \.strangers),
      .word(
        "model", default: initial.model,
        help: "model of the boards: MetaMotion S, RL or C, MetaWear C or R, MetaEnvironment",
        sets: \.model),
      .flag(
        "gps", help: "simulate a GPS receiver on a pseudo-terminal too", sets: \.simulatesGPS),
      .wholeNumber(
        "seed", "N", in: 0...UInt64.max, default: initial.seed,
        help: "start of the random numbers; the same seed gives the same signals",
        sets: \.seed),
      .wearer("wearer", sets: \.wearer),
      .faults(
        "fault", help: "make something go wrong with every board; see above", adds: \.faults),
      .word(
        "bluez", "RELEASE", default: initial.release,
        help: "behave like this release of BlueZ: 5.66, 5.72, 5.82 or 5.84",
        sets: \.release),
      .daemonFaults(
        "daemon-fault", help: "make something go wrong with the service; see above",
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
  public static let operands: [Operand<SimulateConfiguration>] = [
    .commandLine("COMMAND", excludes: ["json", "shell", "packets"], adds: \.commandLine)
  ]

  static func command(
    body: @escaping @Sendable (SimulateConfiguration, Console) async throws -> ExitStatus
  ) -> Command {
    Command(
      CommandDefinition(
        name: "simulate", summary: "offer simulated boards on a private bus until interrupted",
        discussion: """
          Starts a private D-Bus with a Bluetooth service whose boards are simulated, prints how \
          to reach it and serves it until it is interrupted.

          footbridge simulate -- COMMAND runs COMMAND in that world and ends with its exit status: \
          DBUS_SYSTEM_BUS_ADDRESS is set for it, and with --gps \(receiverVariable) to the \
          receiver's path.

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
          var configuration = SimulateConfiguration()
          configuration.shellDescriptor = environment[shellVariable].flatMap(Int32.init)
          return configuration
        }, options: options, operands: operands, body: body))
  }
}
