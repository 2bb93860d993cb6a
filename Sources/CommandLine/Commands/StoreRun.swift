internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// Body of `footbridge store`: puts a store as a whole in order.
enum StoreRun {
  static let body: Commands.Body<StoreConfiguration> = { configuration, console in
    try refuseMisfits(configuration)
    let path = try configuration.store.existingPath()
    StoreLocation.takeInLeftovers(of: path, console)
    // What only reads, and what SQLite itself undoes, is ended by a signal at once.
    let signals = [.repair, .backup].contains(configuration.action) ? Signals(console) : nil
    let progress = ShownProgress(signals, console)
    let outcome: Outcome?
    switch configuration.action {
    case .check: outcome = try check(path, progress)
    case .repair: outcome = try repair(path, progress, console)
    case .compact: outcome = try compact(path)
    case .backup: outcome = try backup(path, configuration, progress)
    case .space: outcome = try space(path, configuration)
    }
    console.finishPainting()
    guard let outcome else { return signals?.status ?? .ok }
    try console.print(
      configuration.reportsJSON ? outcome.json.text : outcome.lines.joined(separator: "\n"))
    return outcome.status
  }

  /// What became of it, for people and for programs.
  struct Outcome {
    var lines: [String]
    var json: JSONValue
    var status = ExitStatus.ok
  }

  private static func refuseMisfits(_ configuration: StoreConfiguration) throws(Complaint) {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) store")
    }
    let changesSpace =
      configuration.quota != nil || configuration.floor != nil || configuration.whenFull != nil
      || configuration.keepSent != nil
    if changesSpace, configuration.action != .space {
      throw usage(
        "'--quota', '--floor', '--when-full' and '--keep-sent' do not go with "
          + "'\(configuration.action.rawValue)'",
        "write 'footbridge store space' and what to change")
    }
    if configuration.replaces, configuration.action != .backup {
      throw usage(
        "'--force' does not go with '\(configuration.action.rawValue)'", "leave it out")
    }
    switch (configuration.action, configuration.file) {
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
        .init("before", .integer(Int64(clamping: before))),
        .init("after", .integer(Int64(clamping: after))),
      ]))
  }

  private static func backup(
    _ path: String, _ configuration: StoreConfiguration, _ progress: ShownProgress
  ) throws -> Outcome? {
    let file = configuration.file ?? ""
    let bytes = try StoreBackup.make(
      of: path, to: file, replacing: configuration.replaces, progress.report("copied"))
    return bytes.map { bytes in
      Outcome(
        lines: ["\(file): \(ByteText.short(bytes)), the store as it was when the backup began."],
        json: .object([
          .init("file", .string(file)), .init("bytes", .integer(Int64(clamping: bytes))),
        ]))
    }
  }

  private static func space(
    _ path: String, _ configuration: StoreConfiguration
  ) throws -> Outcome {
    var policy = try StoreReader(path: path).spacePolicy()
    if let quota = configuration.quota { policy.quota = quota > 0 ? bytes(quota) : nil }
    if let floor = configuration.floor { policy.floor = bytes(floor) }
    if let whenFull = configuration.whenFull { policy.whenFull = whenFull }
    if let days = configuration.keepSent { policy.keepSent = days > 0 ? days : nil }
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
