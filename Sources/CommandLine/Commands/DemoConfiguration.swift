public import Positioning
internal import Values

/// What `footbridge demo` was asked to do.
public struct DemoConfiguration: Hashable, Sendable {
  /// Length of the recording.
  public var seconds = 30.0
  /// Simulated boards.
  public var boards = 1
  /// Simulated adapters, each of which hears every board.
  public var adapters = 1
  /// What to record of each board.
  public var sensors = SensorChoice()
  /// Where positions come from; `nil` for a simulated receiver.
  public var receiver: PositionSource?
  /// Whether the report is JSON instead of text.
  public var reportsJSON = false
  /// The folder that keeps store and exports; `nil` for a temporary one.
  public var folder: String?
  /// Whether exports that are there already are replaced.
  public var replaces = false
  /// What the simulated signals and positions are derived from.
  public var seed: UInt64 = 1
  /// What happens to the boards.
  public var wearer = WearerRequest.walking

  /// The defaults.
  public init() {}

  /// Its options, in the order of the help.
  public static let options: [Option<DemoConfiguration>] = {
    let initial = DemoConfiguration()
    let length: [Option<DemoConfiguration>] = [
      .number(
        "seconds", "N", above: 0, upTo: 86_400, default: initial.seconds,
        help: "length of the recording in seconds; decimals are allowed", sets: \.seconds),
      .wholeNumber(
        "boards", "N", in: 1...10, default: initial.boards,
        help: "number of simulated boards, 1 to 10", sets: \.boards),
      .wholeNumber(
        "adapters", "N", in: 1...4, default: initial.adapters,
        help: "number of simulated adapters, 1 to 4", sets: \.adapters),
    ]
    let world: [Option<DemoConfiguration>] = [
      .positions(
        help: "take positions from this source instead of a simulated receiver",
        sets: \.receiver),
      .flag(
        "json", help: "print the report as JSON, without the live view",
        sets: \.reportsJSON),
      .path(
        "keep", Argument("FOLDER", .folder), help: "keep store and exports in this folder",
        sets: \.folder),
      .force(sets: \.replaces),
      .wholeNumber(
        "seed", "N", in: 0...UInt64.max, default: initial.seed,
        help: "start of the random numbers; the same seed gives the same signals",
        sets: \.seed),
      .wearer("wearer", sets: \.wearer),
    ]
    return length + SensorChoice.options(to: "record").map { $0.lifted(into: \.sensors) } + world
  }()

  static func command(
    body: @escaping @Sendable (DemoConfiguration, Console) async throws -> ExitStatus
  ) -> Command {
    Command(
      CommandDefinition(
        name: "demo", summary: "record simulated boards, without any hardware",
        discussion: """
          Records simulated boards and a simulated GPS receiver through every stage of the \
          gateway: Bluetooth service, notifications, recorder, store and export. Needs no \
          hardware and no permissions.

          Store and exports are written to a temporary folder, which is removed at the end \
          unless --keep names another.
          """,
        initial: { _ in DemoConfiguration() }, options: options, body: body))
  }
}
