internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// Formats the results of operations on a store as text and as JSON.
enum StoreText {
  static func outcome(of check: StoreCheck) -> StoreCommand.Outcome {
    var lines: [String]
    if !check.structure.isEmpty {
      lines =
        ["The file is damaged or truncated:"]
        + check.structure.map { "  " + TerminalText.harmless($0) }
    } else {
      lines = [
        amount(check.sessions, check.chunks) + ": "
          + (check.damaged == 0
            ? "no damage found."
            : "\(NumberText.count(check.damaged, "chunk")) damaged:")
      ]
    }
    lines += damaged(check)
    if !check.isWhole { lines.append("'footbridge store repair' sets damaged data aside.") }
    return StoreCommand.Outcome(
      lines: lines + setAside(check), json: json(check), status: check.isWhole ? .ok : .failed)
  }

  static func outcome(ofRepair check: StoreCheck) -> StoreCommand.Outcome {
    guard check.damaged > 0 else { return outcome(of: check) }
    let lost = check.damaged - check.restored
    let parts = [
      check.restored == 0 ? nil : "\(NumberText.count(check.restored, "chunk")) restored",
      lost == 0 ? nil : "\(NumberText.count(lost, "chunk")) set aside; the rest is usable",
    ].compactMap(\.self)
    return StoreCommand.Outcome(
      lines: [
        amount(check.sessions, check.chunks) + ": "
          + parts.joined(separator: ", ") + ":"
      ] + damaged(check) + setAside(check), json: json(check),
      status: lost == 0 ? .ok : .notUnderstood)
  }

  static func outcome(of migration: StoreMigration, _ path: String) -> StoreCommand.Outcome {
    let line =
      migration.copy.map { copy in
        "\(path): version \(migration.before) before, \(migration.now) now. The old store is at "
          + "\(copy.path), \(ByteText.short(copy.bytes))."
      } ?? "\(path) already has the version of this release, \(migration.now): nothing to do."
    return StoreCommand.Outcome(
      lines: [line],
      json: .object([
        .init("before", migration.before), .init("now", migration.now),
        .init("copy", migration.copy?.path), .init("bytes", migration.copy?.bytes),
      ]))
  }

  static func outcome(of salvage: StoreSalvage) -> StoreCommand.Outcome {
    var lines = [
      "The file was damaged or truncated. Saved to a new file: "
        + "\(amount(salvage.sessions, salvage.chunks))."
    ]
    if salvage.found > 0 {
      lines.append(
        "Found only by searching the whole file: \(NumberText.count(salvage.found, "chunk")).")
    }
    if salvage.rebuilt > 0 {
      lines.append(
        "Only the chunks of \(NumberText.count(salvage.rebuilt, "session")) were found: "
          + "notes, hazards and events are lost.")
    }
    let unsaved = [
      (salvage.unreadable, "that cannot be read"),
      (salvage.damaged, "set aside as damaged"),
      (salvage.fragments, "only partly readable"),
    ].filter { $0.0 > 0 }
    if !unsaved.isEmpty {
      let parts = unsaved.map { "\(NumberText.count($0.0, "chunk")) \($0.1)" }
      lines.append("Not saved: " + parts.joined(separator: ", ") + ".")
    }
    if salvage.lostSamples > 0 {
      lines.append(
        SessionText.lost(salvage.lostSamples, isEstimate: true) + " samples are counted as lost:")
    }
    lines += salvage.losses.prefix(shownLosses).map { loss in
      line(loss) + (loss.samples > 0 ? ", ~\(NumberText.count(loss.samples, "sample"))" : "")
    }
    if salvage.losses.count > shownLosses {
      lines.append(
        "  and \(NumberText.count(salvage.losses.count - shownLosses, "more chunk")); "
          + "'footbridge export' lists them by session")
    }
    lines += salvage.doubtful.map {
      "  session \($0): an unknown number of further samples is lost"
    }
    lines += salvage.gone.map { "  session \($0): lost except for its id" }
    if salvage.incomplete.contains("session") {
      lines.append("More sessions may be lost: their table could not be read completely.")
    }
    if !salvage.incomplete.isEmpty {
      lines.append(
        "These tables could not be read completely: "
          + salvage.incomplete.joined(separator: ", ") + "."
          + (salvage.fixes > 0
            ? " \(NumberText.count(salvage.fixes, "position")) were restored from chunks." : ""))
    }
    return StoreCommand.Outcome(
      lines: lines + ["The damaged file is kept as \(salvage.kept)."],
      json: .object([
        .init("losses", .array(salvage.losses.map(json))),
        .init("doubtfulSessions", salvage.doubtful), .init("goneSessions", salvage.gone),
        .init("sessions", salvage.sessions), .init("rebuiltSessions", salvage.rebuilt),
        .init("chunks", salvage.chunks), .init("foundChunks", salvage.found),
        .init("unreadable", salvage.unreadable), .init("damaged", salvage.damaged),
        .init("fragments", salvage.fragments), .init("lostSamples", salvage.lostSamples),
        .init("lossIsEstimate", salvage.lostSamples > 0),
        .init("incompleteTables", salvage.incomplete), .init("fixesFromChunks", salvage.fixes),
        .init("kept", salvage.kept),
      ]), status: salvage.isWhole ? .ok : .notUnderstood)
  }

  /// The maximum number of lost chunks listed in a repair's result. A failing card may damage
  /// thousands of chunks.
  private static let shownLosses = 20

  static func outcome(
    of policy: SpacePolicy, _ usage: SpacePolicy.Usage
  ) -> StoreCommand.Outcome {
    var table = TextTable([.init(), .init()])
    table.append(["space", policy.state(usage).rawValue])
    table.append(["used", ByteText.short(usage.used)])
    table.append(["free", ByteText.short(usage.free)])
    table.append(["quota", policy.quota.map(ByteText.short) ?? "none"])
    table.append(["floor", ByteText.short(policy.floor)])
    table.append(["when full", policy.whenFull.rawValue])
    table.append([
      "keep sent", policy.keepSent.map { NumberText.plain($0) + " days" } ?? "while there is space",
    ])
    return StoreCommand.Outcome(
      lines: table.lines,
      json: .object([
        .init("space", policy.state(usage).rawValue), .init("used", usage.used),
        .init("free", usage.free), .init("quota", policy.quota), .init("floor", policy.floor),
        .init("whenFull", policy.whenFull.rawValue), .init("keepSentDays", policy.keepSent),
      ]))
  }

  private static func json(_ check: StoreCheck) -> JSONValue {
    .object([
      .init("whole", check.isWhole), .init("structure", check.structure),
      .init("sessions", check.sessions), .init("chunks", check.chunks),
      .init("damaged", .array(check.findings.map(json))), .init("damagedChunks", check.damaged),
      .init("restoredChunks", check.restored), .init("setAsideBefore", check.setAside),
    ])
  }

  private static func json(_ finding: StoreCheck.Finding) -> JSONValue {
    .object([
      .init("session", finding.session), .init("board", finding.board),
      .init("signal", finding.signal), .init("number", finding.sequence),
      .init("samples", finding.samples), .init("why", finding.why),
      .init("isRestored", finding.isRestored),
    ])
  }

  private static func damaged(_ check: StoreCheck) -> [String] {
    let others = check.damaged - check.findings.count
    return check.findings.map(line)
      + (others == 0 ? [] : ["  and \(NumberText.grouped(others)) more"])
  }

  private static func line(_ finding: StoreCheck.Finding) -> String {
    "  session \(finding.session) board \(finding.board) "
      + "\(TerminalText.harmless(finding.signal)) chunk \(finding.sequence): \(finding.why)"
      + (finding.isRestored ? ", restored" : "")
  }

  private static func setAside(_ check: StoreCheck) -> [String] {
    check.setAside == 0 ? [] : ["\(NumberText.count(check.setAside, "chunk")) set aside earlier."]
  }

  private static func amount(_ sessions: Int, _ chunks: Int) -> String {
    "\(NumberText.count(sessions, "session")), \(NumberText.count(chunks, "chunk"))"
  }
}
