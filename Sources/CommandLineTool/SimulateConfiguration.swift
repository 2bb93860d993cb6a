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

  /// Simulated boards.
  public var boards = 1
  /// The model of all of them.
  public var model = Model.metaMotionS
  /// Whether a GPS receiver is simulated too.
  public var simulatesGPS = false
  /// What the simulated signals and positions are derived from.
  public var seed: UInt64 = 1
  /// What happens to the boards.
  public var wearer = WearerRequest.walking
  /// What goes wrong with the boards.
  public var faults: [FaultRequest] = []
  /// Whether what others need to know is printed as JSON instead of text.
  public var reportsJSON = false

  /// The defaults.
  public init() {}

  /// Its options, in the order of the help.
  public static let options: [Option<SimulateConfiguration>] = {
    let initial = SimulateConfiguration()
    return [
      .wholeNumber(
        "boards", "N", in: 1...10, default: initial.boards,
        help: "number of simulated boards, 1 to 10", sets: \.boards),
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
        "fault", help: "let something go wrong with every board; see above", adds: \.faults),
      .flag("json", help: "print addresses and device paths as JSON", sets: \.reportsJSON),
    ]
  }()

  static func command(
    body: @escaping @Sendable (SimulateConfiguration, Console) async throws -> ExitStatus
  ) -> Command {
    Command(
      CommandDefinition(
        name: "simulate", summary: "offer simulated boards on a private bus until interrupted",
        discussion: """
          Starts a private D-Bus with a Bluetooth service whose boards are simulated, prints how \
          to reach it and serves it until it is interrupted.

          A fault is KIND@SECONDS or KIND@SECONDS:VALUE, counted from the start; --fault may be \
          given more than once. Of the next notifications, drop loses, duplicate doubles and \
          garbage spoils VALUE (1). For VALUE seconds, outage loses all of them and delay holds \
          them up (1), mute ignores commands and hang does nothing at all (for ever). disconnect \
          ends the link, reboot restarts the board, halt silences the sensor VALUE \
          (accelerometer, or gyroscope), and battery runs empty within VALUE seconds (60).
          """,
        initial: { _ in SimulateConfiguration() }, options: options, body: body))
  }
}
