internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge store`: checks, repairs, copies or migrates a whole store.
struct StoreCommand: StoreVerb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Report damage to the store.
    case check
    /// Set damaged chunks aside.
    case repair
    /// Return unused space in the store file to the disk.
    case compact
    /// Copy the store to a backup file.
    case backup
    /// Show how much disk space the store uses, or change its limits.
    case space
    /// Copy the store, then migrate it to this release's format.
    case migrate
  }

  var action = Action.check
  /// The file to which a backup is written.
  var file: String?
  /// Whether a backup may replace an existing file.
  var replaces = false
  /// The new quota in megabytes; 0 for no limit.
  var quota: Double?
  /// The new amount of disk space to leave free, in megabytes.
  var floor: Double?
  var whenFull: SpacePolicy.WhenFull?
  /// The number of days to keep a chunk after every destination has received it. With 0, a chunk is
  /// kept until the store needs the space.
  var keepSent: Double?
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<StoreCommand>] = [
    .option(
      "quota", .number("MB", above: -1, upTo: 1e9),
      help: "with space: limit the store to this many megabytes; 0 for no limit", sets: \.quota),
    .option(
      "floor", .number("MB", above: -1, upTo: 1e9),
      help: "with space: leave this many megabytes of the disk free", sets: \.floor),
    .option(
      "when-full", .word("POLICY"),
      help: "with space: the action when no space is left: stop, drop-uploaded (delete sent data) "
        + "or drop-oldest (also delete unsent data)", sets: \.whenFull),
    .option(
      "keep-sent", .number("DAYS", above: -1, upTo: 36_500),
      help: "with space: delete data this many days after every destination has received it; 0 to "
        + "keep data while there is space", sets: \.keepSent),
    .force(sets: \.replaces),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<StoreCommand>(
    name: "store", summary: "check, repair, compact, migrate or back up the store",
    discussion: """
      ACTION is check, repair, compact, backup, space or migrate.

      check reads everything and reports damage. backup FILE copies the store as it is now, \
      including data that is not sealed yet. Both actions also work during a recording.

      repair sets damaged chunks aside, so that the rest can be used. If the file itself is \
      damaged or truncated, it saves everything that is still readable into a new file, and keeps \
      the damaged file next to it. compact returns freed space to the disk.

      space shows how much space is used and free. With --quota, --floor, --when-full or \
      --keep-sent it sets how much space the store can use, what happens when the store is full, \
      and how long sent data is kept.

      migrate upgrades a store of an earlier release to the format of this one. It first copies \
      the store to a file next to it, which the earlier release can still read. A package upgrade \
      migrates the store of the service.

      Example: footbridge store backup /media/stick/walks.sqlite
      """,
    initial: { StoreCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .required(.word("ACTION"), sets: \.action),
      .optional(.unchecked("FILE", .file), sets: \.file),
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    try refuseMisfits()
    let path = try store.existingPath()
    // An interrupted recorder may have left files next to the store. They cannot be imported before
    // the store is migrated.
    let hasFoundDamage =
      action != .migrate && StoreLocation.takeInLeftovers(of: path, console)
    // Actions not listed here end immediately on a signal. This is safe, because these actions only
    // read, or because SQLite rolls back their changes.
    let signals = [.repair, .backup, .migrate].contains(action) ? Signals(console) : nil
    let progress = ShownProgress(signals, console)
    let outcome: Outcome?
    switch action {
    case .check:
      var found = try Self.check(path, progress)
      if hasFoundDamage, found?.status == .ok { found?.status = .failed }
      outcome = found
    case .repair: outcome = try Self.repair(path, progress, console)
    case .compact: outcome = try Self.compact(path)
    case .backup: outcome = try backup(path, progress)
    case .space: outcome = try space(path)
    case .migrate:
      outcome = try StoreMigration.run(path, progress.report("copied")).map {
        StoreText.outcome(of: $0, path)
      }
    }
    console.finishPainting()
    guard let outcome else { return signals?.status ?? .ok }
    try console.print(
      reportsJSON
        ? outcome.json.text : console.complete(outcome.lines.joined(separator: "\n")))
    return outcome.status
  }

  /// An action's result, as text and as JSON.
  struct Outcome {
    var lines: [String]
    var json: JSONValue
    var status = ExitStatus.ok
  }

  private func refuseMisfits() throws(Complaint) {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) store")
    }
    let changesSpace =
      quota != nil || floor != nil || whenFull != nil
      || keepSent != nil
    if changesSpace, action != .space {
      throw usage(
        "'--quota', '--floor', '--when-full' and '--keep-sent' cannot be used with "
          + "'\(action.rawValue)'",
        "use them with 'footbridge store space'")
    }
    if replaces, action != .backup {
      throw usage(
        "'--force' cannot be used with '\(action.rawValue)'", "leave it out")
    }
    switch (action, file) {
    case (.backup, nil):
      throw usage("'FILE' is missing", "use 'footbridge store backup FILE'")
    case (.backup, ""?): throw usage("'FILE' cannot be ''", "give the path of the backup file")
    case (.backup, _?), (_, nil): return
    case (_, let word?): throw usage("unexpected argument '\(word)'", "leave it out")
    }
  }

  private static func check(_ path: String, _ progress: ShownProgress) throws -> Outcome? {
    let check = try StoreReader(path: path).check(progress.report("checked"))
    return check.map { StoreText.outcome(of: $0) }
  }

  private static func repair(
    _ path: String, _ progress: ShownProgress, _ console: Console
  ) throws -> Outcome? {
    do throws(StoreError) {
      let maintenance = try StoreMaintenance(path: path, checksIndexes: true)
      let check = try maintenance.setDamageAside(progress.report("checked"))
      if check?.structure.isEmpty ?? true { return check.map { StoreText.outcome(ofRepair: $0) } }
    } catch {
      // If the first page of the file is damaged, SQLite no longer recognises the file as a store.
      guard error.kind == .damaged || error.kind == .notAStore else { throw error }
    }
    let salvage = try StoreSalvage.run(path, progress.report("saved"))
    // The files that an interrupted recorder left behind could not be imported into the damaged
    // store. They are imported into its replacement.
    StoreLocation.takeInLeftovers(of: path, console)
    return salvage.map { StoreText.outcome(of: $0) }
  }

  private static func compact(_ path: String) throws -> Outcome {
    let (before, after) = try StoreMaintenance(path: path).compact()
    return Outcome(
      lines: ["\(path): \(ByteText.short(before)) before, \(ByteText.short(after)) now."],
      json: .object([
        .init("before", before), .init("after", after),
      ]))
  }

  private func backup(_ path: String, _ progress: ShownProgress) throws -> Outcome? {
    let file = self.file ?? ""
    let bytes = try StoreBackup.make(
      of: path, to: file, replacing: replaces, progress.report("copied"))
    return bytes.map { bytes in
      Outcome(
        lines: ["\(file): \(ByteText.short(bytes)), the store as it was when the backup began."],
        json: .object([
          .init("file", file), .init("bytes", bytes),
        ]))
    }
  }

  private func space(_ path: String) throws -> Outcome {
    var policy = try StoreReader(path: path).spacePolicy()
    if let quota = self.quota { policy.quota = quota > 0 ? Self.bytes(quota) : nil }
    if let floor = self.floor { policy.floor = Self.bytes(floor) }
    if let whenFull = self.whenFull { policy.whenFull = whenFull }
    if let days = keepSent { policy.keepSent = days > 0 ? days : nil }
    if try policy != StoreReader(path: path).spacePolicy() {
      try StoreEditor(path: path).set(policy)
    }
    let usage = try StoreReader(path: path).spaceUsage()
    return StoreText.outcome(of: policy, usage)
  }

  /// Converts megabytes to bytes. A megabyte is a million bytes, as on the label of a memory card.
  private static func bytes(_ megabytes: Double) -> UInt64 {
    UInt64(max(0, (megabytes * 1e6).rounded()))
  }
}
