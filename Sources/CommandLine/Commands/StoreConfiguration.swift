public import Storage
internal import Values

/// What `footbridge store` was asked to do.
public struct StoreConfiguration: Hashable, Sendable {
  /// What can be done with a store as a whole.
  public enum Action: String, CaseIterable, Hashable, Sendable {
    /// Tell what is not as it was written.
    case check
    /// Set aside what is not as it was written.
    case repair
    /// Give freed room back to the disk.
    case compact
    /// Copy it to a file.
    case backup
    /// Show how much room there is, or change how much there may be.
    case space
  }

  /// What to do.
  public var action = Action.check
  /// The file for a backup.
  public var file: String?
  /// Whether a file that is there already is replaced by a backup.
  public var replaces = false
  /// Megabytes the store may have, from now on; 0 for as many as the disk holds.
  public var quota: Double?
  /// Megabytes that stay free on the disk, from now on.
  public var floor: Double?
  /// What happens when there is no room left, from now on.
  public var whenFull: SpacePolicy.WhenFull?
  /// Days for which a chunk is kept after every destination has it, from now on; 0 for as long as
  /// there is room.
  public var keepSent: Double?
  /// Whether the outcome is JSON instead of text.
  public var reportsJSON = false
  /// The store.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<StoreConfiguration>] = [
    .number(
      "quota", "MB", above: -1, upTo: 1e9,
      help: "with space: limit the store to so many megabytes; 0 for no limit",
      sets: \.quota),
    .number(
      "floor", "MB", above: -1, upTo: 1e9,
      help: "with space: leave so many megabytes of the disk free", sets: \.floor),
    .word(
      "when-full", "POLICY",
      help: "with space: stop, drop-uploaded (delete what was sent) or drop-oldest (then the rest "
        + "too) when there is no room left", sets: \.whenFull),
    .number(
      "keep-sent", "DAYS", above: -1, upTo: 36_500,
      help: "with space: delete what every destination has had for so many days; 0 to keep it for "
        + "as long as there is room", sets: \.keepSent),
    .force(sets: \.replaces),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<StoreConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "store", summary: "check, repair, compact or back up the store",
        discussion: """
          ACTION is check, repair, compact, backup or space.

          check reads everything and reports what is damaged; backup FILE copies the store as it \
          is now, including data that is not sealed yet. Both work during a recording, too.

          repair sets damaged chunks aside, so that the rest can be used. Where the file itself \
          is damaged or cut off, it saves into a new file everything that can still be read, and \
          keeps the damaged one beside it. compact gives freed room back to the disk.

          space shows how much room there is. With --quota, --floor, --when-full or --keep-sent \
          it sets how much the store may use, what happens when it is full, and how long sent \
          data is kept.

          Example: footbridge store backup /media/stick/walks.sqlite
          """,
        initial: { StoreConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [
          .word("ACTION", sets: \.action),
          .optional(Argument("FILE", .file), sets: \.file),
        ], body: body))
  }
}
