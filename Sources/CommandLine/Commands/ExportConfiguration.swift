public import Export
internal import Recording
internal import Values

/// What `footbridge export` was asked to do.
public struct ExportConfiguration: Hashable, Sendable {
  /// The session, as it was written.
  public var session = ""
  /// The form of the export, if it was named.
  public var format: ExportFormat?
  /// Whether every stream gets a table of its own.
  public var isWide = false
  /// The boards, as they were written; all if there is none.
  public var boards: [String] = []
  /// The names of the signals; all if there is none.
  public var signals: [String] = []
  /// Where to begin.
  public var from: Moment?
  /// Where to end.
  public var to: Moment?
  /// Seconds after which a fix no longer gives a position.
  public var maximumFixAge = FixTrack.defaultMaximumAge
  /// The file or folder that gets the export; standard output if there is none.
  public var output: String?
  /// Whether files that are there already are replaced.
  public var replaces = false
  /// The folder the session is in; if there is none, it is in the store.
  public var folder: String?
  /// Where the session is.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<ExportConfiguration>] = [
    .format(sets: \.format),
    .flag(
      "wide", help: "write a CSV table for each stream, with units, into a folder", sets: \.isWide),
    .boards(
      "board", help: "export this board only, by address or name; may be given for each of several",
      adds: \.boards),
    .signals(
      "signal", help: "export this signal only; may be given for each of several", adds: \.signals),
    .moment(
      "from", help: "begin at this time, in seconds since the start or as 2026-05-04T09:30:00Z",
      sets: \.from),
    .moment("to", help: "end before this time", sets: \.to),
    .number(
      "fix-age", "SECONDS", above: 0, upTo: 86_400, default: FixTrack.defaultMaximumAge,
      help: "leave samples without a position when the last fix is older", sets: \.maximumFixAge),
    .path(
      "output", Argument("PATH", .file),
      help: "write into this file (with --wide: folder) and files beside it instead of to standard "
        + "output", sets: \.output),
    .force(sets: \.replaces),
    .path(
      "folder", Argument("FOLDER", .folder),
      help: "export from this folder, into which something was received or uploaded, instead of "
        + "from the store", sets: \.folder),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<ExportConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "export", summary: "write a session as CSV, JSON, GeoJSON or GPX",
        discussion: """
          Reads a session back from its chunks as one series in order of time. SESSION is an id, \
          the beginning of one, or 'last'. A session that is still being recorded is exported as \
          far as it is stored. Each sample names its board, its unit and the measuring range of \
          its sensor.

          With --output, what the session is, its gaps, events, hazards and fixes are written into \
          files beside the samples, such as walk.gaps.csv; beside a device or a pipe they are not. \
          The ending of PATH says the format. An export that was interrupted leaves no file. Chunks that are missing or damaged leave a gap, are named on standard error, \
          and end the command with status 5.

          Example: footbridge export last --output walk.csv
          """,
        initial: { ExportConfiguration(store: StoreLocation(environment: $0)) },
        options: options, operands: [.session(sets: \.session)], body: body))
  }
}
