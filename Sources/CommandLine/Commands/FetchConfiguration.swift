public import Export
internal import Values

/// What `footbridge fetch` was asked to do.
public struct FetchConfiguration: Hashable, Sendable {
  /// The destination, by its name.
  public var destination = ""
  /// The record, as it was written; the list of them if there is none.
  public var record: String?
  /// The form in which it is written, if it was named.
  public var format: ExportFormat?
  /// Whose records are meant; those of who signs in if nobody is named.
  public var user: String?
  /// The file that gets it; standard output if there is none.
  public var output: String?
  /// Whether files that are there already are replaced.
  public var replaces = false
  /// Whether the list is JSON instead of a table.
  public var reportsJSON = false
  /// Where destinations are kept.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<FetchConfiguration>] = [
    .format(sets: \.format),
    .plainText(
      "user", "ID", help: "the records of this user instead of one's own", sets: \.user),
    .path(
      "output", Argument("PATH", .file),
      help: "write into this file and files beside it instead of to standard output",
      sets: \.output),
    .force(sets: \.replaces), .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<FetchConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "fetch", summary: "list what a Firestore holds, and load it back",
        discussion: """
          Lists a user's records in DESTINATION, the newest last, or loads RECORD back: a name from \
          the list, the beginning of one, or 'last'. Chunks come several at a time and are joined in \
          order; one that is missing is named on standard error with its place, not waited for, and \
          ends the command with status 5.

          What the compact layout holds is written as 'footbridge export' writes it, with the same \
          files beside it. The researchers' layouts hold the gyroscope alone: it is written as a CSV \
          table with time_utc, x, y, z, lat, lon and alt_msl.

          Example: footbridge fetch university last --output walk.csv
          """,
        initial: { FetchConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [
          .destination(sets: \.destination),
          .optional(Argument("RECORD", .text), sets: \.record),
        ], body: body))
  }
}

extension Operand {
  /// An operand with a destination, which may not be left out.
  static func destination(
    sets place: any WritableKeyPath<Configuration, String> & Sendable
  ) -> Operand {
    Operand(
      description: OperandDescription(
        argument: Argument("DESTINATION", .destination), isOptional: false)
    ) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty
    }
  }
}
