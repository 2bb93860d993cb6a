internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// Formats pulled definitions and their source as text and as JSON.
struct DefinitionsText {
  private let pulled: PulledDefinitions?
  private let failure: FailedPull?
  private let gateway: UniqueID?
  private let now: UTCTime
  private let isInUTC: Bool

  /// `failure` describes the last pull; `nil` if the pull succeeded.
  init(
    _ pulled: PulledDefinitions?, failure: FailedPull?, gateway: UniqueID?, now: UTCTime,
    inUTC: Bool = false
  ) {
    isInUTC = inUTC
    self.pulled = pulled
    self.failure = failure
    self.gateway = gateway
    self.now = now
  }

  /// Reads the definitions from the store. If the last pull failed, also reads the reason.
  init(storeAt path: String, inUTC: Bool = false) throws {
    let reader = try StoreReader(path: path)
    self.init(
      try reader.definitions().map { stored throws(Definitions.Fault) in
        try PulledDefinitions(stored)
      },
      failure: try reader.failedPull(), gateway: try? GatewayIdentity.read(),
      now: BootClock.systemTime(), inUTC: inUTC)
  }

  var lines: [String] {
    var lines = [headline]
    if let pulled { lines += Self.table(pulled.definitions, inUTC: isInUTC) }
    if let failure {
      lines.append(
        TerminalText.harmless(
          "The last pull failed at \(date(failure.time)): \(failure.reason)"))
      lines += failure.remedy.split(separator: "\n").map {
        "  " + TerminalText.harmless(String($0))
      }
    }
    if let gateway { lines.append("This gateway is \(gateway).") }
    return lines
  }

  private func date(_ time: UTCTime) -> String {
    SessionText.date(time, inUTC: isInUTC) ?? "–"
  }

  private var headline: String {
    guard let stored = pulled?.stored else {
      return "No definitions: the configuration file and the defaults apply."
    }
    let origin = "Pulled from \(stored.source) at \(date(stored.pulled))"
    guard let age else {
      return TerminalText.harmless("\(origin), according to a different clock.")
    }
    let left = DefinitionsSchedule.period - age
    return TerminalText.harmless(
      "\(origin), \(DurationText.short(age)) ago; "
        + (left > 0 ? "due again in \(DurationText.short(left))." : "due again."))
  }

  /// Seconds since the definitions were pulled; `nil` if the clock has been set back since the
  /// pull.
  private var age: Double? {
    guard let pulled else { return nil }
    let age = Double(now.nanoseconds &- pulled.stored.pulled.nanoseconds) / 1e9
    return age < 0 ? nil : age
  }

  /// Returns a sentence about a pull's result.
  func summary(isNew: Bool) -> String {
    guard let pulled else { return "" }
    let name = TerminalText.harmless(pulled.stored.source)
    let counts = Self.counts(pulled.definitions)
    return isNew ? "Pulled from \(name): \(counts)." : "\(name) has nothing new: \(counts)."
  }

  /// Returns a summary such as "2 sensors, 1 board, 3 hazards, 1 unknown member skipped".
  static func counts(_ definitions: Definitions) -> String {
    func count(_ number: Int, _ noun: String) -> String? {
      number == 0 ? nil : NumberText.count(number, noun)
    }
    let sensors = values(definitions).filter { $0.member == "sensors" }.reduce(0) {
      $0 + $1.values.count
    }
    let others = values(definitions).count { $0.member != "sensors" }
    var parts = [
      count(sensors, "sensor"), count(definitions.configuration.boards.count, "board"),
      count(definitions.participants.count, "participant"),
      count(definitions.plan.tasks.count, "task"), count(definitions.hazards.count, "hazard"),
      count(others, "other value"),
    ].compactMap(\.self)
    if parts.isEmpty { parts = ["no values"] }
    if let skipped = count(definitions.skipped.count, "unknown member") {
      parts.append("\(skipped) skipped")
    }
    return parts.joined(separator: ", ")
  }

  /// Returns the values of all keys except those of board sections.
  private static func values(
    _ definitions: Definitions
  ) -> [(member: String, key: ConfigurationKeyDescription, values: [String])] {
    GatewayConfiguration.keys.compactMap { key in
      guard let member = key.description.pulledAs else { return nil }
      let values = definitions.values(of: key.description)
      return values.isEmpty ? nil : (member, key.description, values)
    }
  }

  /// Returns a table of the definitions, with one line per member.
  static func table(_ definitions: Definitions, inUTC: Bool) -> [String] {
    var table = TextTable([.init("member"), .init("value"), .init("key")])
    func add(_ member: String, _ value: String, _ key: String = "–") {
      table.append([member, TerminalText.harmless(value), key])
    }
    for one in values(definitions) {
      add(
        one.member,
        one.values.joined(separator: ", ") + (one.key.unit.map { " \($0)" } ?? ""), one.key.path)
    }
    for board in definitions.configuration.boards {
      add(
        "boards", board.address.description + (board.placement.map { ", \($0)" } ?? ""),
        "board \(board.name)")
    }
    if !definitions.participants.isEmpty {
      add("participants", definitions.participants.map(\.id).joined(separator: ", "))
    }
    for study in definitions.plan.studies {
      for block in study.blocks {
        add("studies", "\(study.name), \(block.name): " + block.tasks.joined(separator: ", "))
      }
    }
    if !definitions.plan.tasks.isEmpty {
      add("tasks", definitions.plan.tasks.map(\.id).joined(separator: ", "))
    }
    if !definitions.hazards.isEmpty {
      add("hazards", definitions.hazards.joined(separator: ", "))
    }
    if let updated = SessionText.date(definitions.updated, inUTC: inUTC) {
      add("updated_at", updated)
    }
    if !definitions.skipped.isEmpty {
      add("skipped", definitions.skipped.joined(separator: ", "))
    }
    for remark in definitions.remarks { add("no effect", remark) }
    return table.lines
  }

  var json: JSONValue { json(isNew: nil) }

  /// Returns a pull's result as JSON.
  func json(isNew: Bool?) -> JSONValue {
    var members: [JSONValue.Member] = []
    if let isNew { members.append(.init("changed", isNew)) }
    members += [
      .init("source", pulled?.stored.source), .init("pulled", pulled?.stored.pulled.iso8601()),
      .init("ageSeconds", age?.rounded()), .init("gateway", gateway),
      .init("failure", failure.map(Self.json) ?? .null),
    ]
    if let pulled { members += Self.members(pulled.definitions) }
    return .object(members)
  }

  private static func json(_ failure: FailedPull) -> JSONValue {
    .object([
      .init("time", failure.time.iso8601()), .init("reason", failure.reason),
      .init("remedy", failure.remedy),
    ])
  }

  /// Returns the content of a set of definitions as members of a JSON object.
  static func members(_ definitions: Definitions) -> [JSONValue.Member] {
    let values = values(definitions).map { one in
      JSONValue.object([
        .init("member", one.member), .init("key", one.key.path), .init("values", one.values),
      ])
    }
    let boards = definitions.configuration.boards.map { board in
      JSONValue.object([
        .init("name", board.name), .init("address", board.address),
        .init("placement", board.placement),
      ])
    }
    return [
      .init("updated", definitions.updated?.iso8601()), .init("values", .array(values)),
      .init("boards", .array(boards)), .init("hazards", definitions.hazards),
      .init("participants", .array(definitions.participants.map(\.json))),
      .init("studies", .array(definitions.plan.studies.map(\.json))),
      .init("tasks", .array(definitions.plan.tasks.map(\.json))),
      .init("skipped", definitions.skipped), .init("remarks", definitions.remarks),
    ]
  }
}
