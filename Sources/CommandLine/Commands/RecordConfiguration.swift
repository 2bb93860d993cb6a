public import BoardDriver
internal import Gateway
public import Positioning
public import Values

/// What `footbridge record` was asked to do.
public struct RecordConfiguration: Hashable, Sendable {
  /// Where the recording goes.
  public var store: StoreLocation
  /// Boards to use: the first so many that are found.
  public var boards = 1
  /// The boards to use instead, as they were written.
  public var named: [String] = []
  /// Whether a board that is missing keeps the recording from starting.
  public var requiresAll = false
  /// What to record of each.
  public var sensors = SensorChoice()
  /// How often boards and adapter meet; `nil` to let the number of boards decide.
  public var pace: LinkPace?
  /// Where positions come from; `nil` to record without.
  public var receiver: PositionSource?
  /// Length of the recording; `nil` until it is interrupted.
  public var seconds: Double?
  /// Minutes after which a chunk is sealed although it is not full.
  public var sealMinutes = RecordingPlan.usualSealSeconds / 60
  /// The folder that gets the exports at the end; `nil` for none.
  public var exportFolder: String?
  /// Whether exports that are there already are replaced.
  public var replaces = false
  /// The user's remark on the session.
  public var note: String?
  /// Hazards that are known before the start.
  public var hazards: [HazardRequest] = []
  /// Who wears the boards.
  public var wearer: String?
  /// What the user calls this computer; `nil` for its host name.
  public var gateway: String?
  /// The Firestore that is told where this computer is meanwhile, by its name; `nil` for none.
  public var liveLocation: String?
  /// Bluetooth adapters to use; all that are on if there is none.
  public var adapters: [BoardAddress] = []

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<RecordConfiguration>] = {
    let boards = Option<RecordConfiguration>.wholeNumber(
      "boards", "N", in: 1...10, default: 1, help: "number of boards, 1 to 10", sets: \.boards)
    let named = Option<RecordConfiguration>.boards(
      "board", excludes: ["boards"],
      help: "record this board, by address or name; may be given for each of several",
      adds: \.named)
    let rest: [Option<RecordConfiguration>] = [
      .flag(
        "require-all",
        help: "fail when a board is missing instead of starting with those that are there",
        sets: \.requiresAll, to: true),
      .word(
        "interval", "MS",
        help: "Bluetooth connection interval: 7.5, 15 or 30 ms (default: chosen by the number "
          + "of boards)", sets: \.pace),
      .positions(
        help: "record positions too, from the serial port of a GPS receiver such as /dev/gps0, "
          + "gpsd, gpsd://HOST, file:PATH or fixed:LATITUDE,LONGITUDE", sets: \.receiver),
      .number(
        "seconds", "N", above: 0, upTo: 31_536_000,
        help: "stop after so many seconds of samples instead of at Ctrl-C", sets: \.seconds),
      .number(
        "seal", "MINUTES", above: 0, upTo: 1_440,
        default: RecordingPlan.usualSealSeconds / 60,
        help: "seal chunks that are not full yet after so many minutes", sets: \.sealMinutes),
      .text("note", "TEXT", help: "a remark on the session", sets: \.note),
      .hazards(
        "hazard",
        help: "a hazard on the route with its intensity from 0 to 3, as in Slippery=2; may be "
          + "given for each of several", adds: \.hazards),
      .text("wearer", "TEXT", help: "who wears the boards", sets: \.wearer),
      .text(
        "gateway", "TEXT", help: "what this computer is called (default: its host name)",
        sets: \.gateway),
      .path(
        "export", Argument("FOLDER", .folder),
        help: "write samples.csv with its tables and track.geojson into this folder at the end",
        sets: \.exportFolder),
      .force(sets: \.replaces),
      .destination(
        "live-location",
        help: "publish the current position in this Firestore until the recording ends; see "
          + "'footbridge destination'", sets: \.liveLocation),
      .adapters(adds: \.adapters),
      .store(sets: \.store),
    ]
    return [boards, named] + SensorChoice.options(to: "record").map { $0.lifted(into: \.sensors) }
      + rest
  }()

  static func command(body: @escaping Commands.Body<RecordConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "record", summary: "record boards until interrupted",
        discussion: """
          Looks for MetaWear boards, streams from those named or else from the first \
          it hears, and records their samples \
          together with the positions of a GPS receiver. A board that is missing joins when it \
          appears. A lost connection is made again, and the gap is counted. Ctrl-C ends the \
          recording. Without --seconds, the exit status is then 0 if anything was recorded.

          Example: footbridge record left right --gps /dev/gps0
          """,
        initial: { RecordConfiguration(store: StoreLocation(environment: $0)) },
        options: options, operands: [.boards(adds: \.named).satisfied], body: body))
  }
}
