public import Positioning
public import Values

/// What `footbridge stream` was asked to do.
public struct StreamConfiguration: Hashable, Sendable {
  /// How readings are given.
  public enum Format: String, Hashable, Sendable {
    /// As a view of the newest on a terminal.
    case view
    /// A JSON object on each line.
    case json
    /// A table with commas.
    case csv
  }

  /// The boards, as they were written.
  public var boards: [String] = []
  /// What to read of each.
  public var sensors = SensorChoice()
  /// Where positions come from; `nil` to do without.
  public var receiver: PositionSource?
  /// Length of the stream; `nil` until it is interrupted.
  public var seconds: Double?
  /// How readings are given; `nil` for a view on a terminal and JSON elsewhere.
  public var format: Format?
  /// Bluetooth adapters to use; all that are on if there is none.
  public var adapters: [BoardAddress] = []
  /// Where the names of boards are.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<StreamConfiguration>] =
    SensorChoice.options(to: "read").map { $0.lifted(into: \.sensors) } + [
      .positions(
        help: "show the position too, and print samples with the last fix and its age; sources are "
          + "those of 'footbridge record'",
        sets: \.receiver),
      .number(
        "seconds", "N", above: 0, upTo: 31_536_000,
        help: "stop after so many seconds of samples instead of at Ctrl-C", sets: \.seconds),
      .flag(
        "json",
        help: "print each sample as a JSON object on a line of its own (default where "
          + "standard output is not a terminal)", sets: \.format, to: .json),
      .flag(
        "csv", excludes: ["json"], help: "print each sample as a line of a table with commas",
        sets: \.format, to: .csv),
      .adapters(adds: \.adapters),
      .store(sets: \.store),
    ]

  static func command(body: @escaping Commands.Body<StreamConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "stream", summary: "show or print what boards measure, without recording it",
        discussion: """
          Connects to the boards, streams their sensors and shows the newest readings with rate, \
          loss and signal strength, or prints all of them. Nothing is stored. Ctrl-C ends it.

          A program that reads the samples too slowly misses some; their number is reported at \
          the end.

          Example: footbridge stream left --sensor acceleration@50 --csv > left.csv
          """,
        initial: { StreamConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [.boards(adds: \.boards)], body: body))
  }
}
