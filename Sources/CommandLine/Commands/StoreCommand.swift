internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge store`: puts a store as a whole in order.
struct StoreCommand: StoreVerb {
  /// What can be done with a store as a whole.
  enum Action: String, CaseIterable, Hashable, Sendable {
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
    /// Bring it to the version of this release, after a copy.
    case migrate
  }

  /// What to do.
  var action = Action.check
  /// The file for a backup.
  var file: String?
  /// Whether a file that is there already is replaced by a backup.
  var replaces = false
  /// Megabytes the store may have, from now on; 0 for as many as the disk holds.
  var quota: Double?
  /// Megabytes that stay free on the disk, from now on.
  var floor: Double?
  /// What happens when there is no room left, from now on.
  var whenFull: SpacePolicy.WhenFull?
  /// Days for which a chunk is kept after every destination has it, from now on; 0 for as long as
  /// there is room.
  var keepSent: Double?
  /// Whether the outcome is JSON instead of text.
  var reportsJSON = false
  /// The store.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<StoreCommand>] = [
    .option(
      "quota", .number("MB", above: -1, upTo: 1e9),
      help: "with space: limit the store to so many megabytes; 0 for no limit", sets: \.quota),
    .option(
      "floor", .number("MB", above: -1, upTo: 1e9),
      help: "with space: leave so many megabytes of the disk free", sets: \.floor),
    .option(
      "when-full", .word("POLICY"),
      help: "with space: stop, drop-uploaded (delete sent data) or drop-oldest (then the rest "
        + "too) when there is no room left", sets: \.whenFull),
    .option(
      "keep-sent", .number("DAYS", above: -1, upTo: 36_500),
      help: "with space: delete data that every destination has had for so many days; 0 to keep "
        + "it for as long as there is room", sets: \.keepSent),
    .force(sets: \.replaces),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<StoreCommand>(
    name: "store", summary: "check, repair, compact, migrate or back up the store",
    discussion: """
      ACTION is check, repair, compact, backup, space or migrate.

      check reads everything and reports what is damaged; backup FILE copies the store as it \
      is now, including data that is not sealed yet. Both work during a recording, too.

      repair sets damaged chunks aside, so that the rest can be used. Where the file itself \
      is damaged or cut off, it saves into a new file everything that can still be read, and \
      keeps the damaged one beside it. compact gives freed room back to the disk.

      space shows how much room there is. With --quota, --floor, --when-full or --keep-sent \
      it sets how much the store may use, what happens when it is full, and how long sent \
      data is kept.

      migrate brings a store of an earlier release to the version of this one. Before that \
      it copies the store to a file beside it, which the earlier release can read. An upgrade \
      of the package does this for the store of the service.

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
    // What a recorder left beside the store can only be taken in after a migration.
    let hasFoundDamage =
      action != .migrate && StoreLocation.takeInLeftovers(of: path, console)
    // What only reads, and what SQLite itself undoes, is ended by a signal at once.
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

  /// What became of it, for people and for programs.
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
        "'--quota', '--floor', '--when-full' and '--keep-sent' do not go with "
          + "'\(action.rawValue)'",
        "write 'footbridge store space' and what to change")
    }
    if replaces, action != .backup {
      throw usage(
        "'--force' does not go with '\(action.rawValue)'", "leave it out")
    }
    switch (action, file) {
    case (.backup, nil):
      throw usage("'FILE' is missing", "write 'footbridge store backup FILE'")
    case (.backup, ""?): throw usage("'FILE' cannot be ''", "FILE is the path of a file")
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
      // Where the first page was hit, a store does not even look like one.
      guard error.kind == .damaged || error.kind == .notAStore else { throw error }
    }
    let salvage = try StoreSalvage.run(path, progress.report("saved"))
    // The torn file could not take it.
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

  /// A megabyte is a million bytes, as on the label of a card.
  private static func bytes(_ megabytes: Double) -> UInt64 {
    UInt64(max(0, (megabytes * 1e6).rounded()))
  }
}
