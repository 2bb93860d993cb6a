internal import Gateway
internal import Positioning
internal import Recording
internal import Terminal
internal import Values

/// Formats the gateway's status as text: first whether the gateway is working, then each part with
/// its data's age.
enum StatusText {
  static func lines(_ status: GatewayStatus) -> [String] {
    var parts = [headline(status), [""], facts(status)]
    if !status.boards.isEmpty { parts += [[""], boards(status)] }
    if status.boards.contains(where: { !$0.streams.isEmpty }) { parts += [[""], streams(status)] }
    if !status.uploads.isEmpty { parts += [[""], uploads(status)] }
    return parts.flatMap { $0 }.map { TerminalText.harmless($0) }
  }

  /// Returns the first lines of the status: a sentence about the state, and the problems with their
  /// remedies.
  static func headline(_ status: GatewayStatus) -> [String] {
    let activity = capitalised(status.activity)
    guard !status.troubles.isEmpty else { return ["Works. \(activity)."] }
    let first =
      status.works ? "Works, with a warning. \(activity)." : "Does not work. \(activity)."
    return [first] + status.troubles.flatMap(trouble)
  }

  private static func trouble(_ trouble: GatewayStatus.Trouble) -> [String] {
    let since = trouble.age.map { ", for \(DurationText.short($0))" } ?? ""
    let line = "\(trouble.level.rawValue): \(trouble.subject): \(trouble.text)\(since)"
    return [line] + trouble.remedy.split(separator: "\n").map { "       \($0)" }
  }

  private static func facts(_ status: GatewayStatus) -> [String] {
    var table = TextTable([.init(), .init()])
    table.append(["gateway", "\(status.version), up \(DurationText.short(status.uptime))"])
    table.append(["recording", recording(status.recording)])
    if let bluetooth = status.bluetooth {
      let state = bluetooth.obstacle ?? "ready"
      table.append(["bluetooth", "\(state) for \(DurationText.short(bluetooth.age))"])
    }
    for adapter in status.adapters where !adapter.help.words.isEmpty {
      table.append(["adapter", "\(adapter.name): \(adapter.help.words)"])
    }
    if let receiver = status.receiver { table.append(["receiver", Self.receiver(receiver)]) }
    table.append(["clock", clock(status.clock)])
    if let store = status.store { table.append(["store", Self.store(store)]) }
    if let sharing = status.sharing { table.append(["sharing", Self.sharing(sharing)]) }
    return table.lines
  }

  private static func recording(_ recording: GatewayStatus.Recording) -> String {
    var parts = ["\(recording.phase.rawValue) for \(DurationText.short(recording.phaseAge))"]
    if let session = recording.session {
      parts.append(
        "session \(String("\(session)".prefix(8))) began "
          + "\(DurationText.clock(recording.elapsed)) ago")
    }
    if let participant = recording.participant {
      // A support report recognises the pseudonym by this form, and hides it.
      parts.append("participant: '\(TerminalText.harmless(participant))'")
    }
    if let pause = recording.pause { parts.append("paused for \(DurationText.short(pause))") }
    parts.append("when: \(recording.rule.description)")
    if recording.restarts > 0 {
      let times = recording.restarts == 1 ? "once" : "\(recording.restarts) times"
      parts.append("restarted \(times)")
    }
    if let failure = recording.failure {
      parts.append("last failure \(DurationText.short(failure.age)) ago: \(failure.text)")
    }
    return parts.joined(separator: "; ")
  }

  private static func receiver(_ receiver: GatewayStatus.Receiver) -> String {
    guard let state = receiver.state else { return "\(receiver.source): not in use now" }
    let age =
      receiver.fixAge.map { "last position \(DurationText.short($0)) ago" } ?? "no position yet"
    let since = receiver.stateAge.map { " for \(DurationText.short($0))" } ?? ""
    let help = receiver.help.words.isEmpty ? "" : "; \(receiver.help.words)"
    return "\(receiver.source): \(state.rawValue)\(since); \(age)\(help)"
  }

  private static func clock(_ clock: GatewayStatus.Clock) -> String {
    guard clock.isSynchronised else { return "not synchronised" }
    guard let uncertainty = clock.uncertainty else { return "synchronised" }
    return "synchronised to within \(NumberText.fixed(uncertainty, decimals: 3)) s"
  }

  private static func sharing(_ sharing: GatewayStatus.Sharing) -> String {
    let state =
      sharing.isConnected
      ? "connected"
      : sharing.failure.map { "not connected for \(DurationText.short($0.age))" }
        ?? "connecting"
    return "\(sharing.share.rawValue), \(sharing.broker): \(state)"
  }

  private static func store(_ store: GatewayStatus.Store) -> String {
    var parts = [
      "\(store.path): \(ByteText.short(store.used)), \(ByteText.short(store.free)) free"
    ]
    if store.bytesPerDay > 0 {
      parts.append("\(ByteText.short(store.bytesPerDay)) a day")
    }
    if let days = store.daysLeft {
      parts.append(days > 3_650 ? "space for more than 10 years" : "space for \(Int(days)) days")
    }
    return parts.joined(separator: ", ")
  }

  private static func boards(_ status: GatewayStatus) -> [String] {
    var table = TextTable([
      .init("board"), .init("state"), .init("last sample", .right), .init("battery", .right),
      .init("RSSI", .right),
    ])
    for board in status.boards {
      table.append([
        board.name, "\(board.phase.rawValue) \(DurationText.short(board.phaseAge))",
        board.sampleAge.map { DurationText.short($0) } ?? "–",
        board.battery.map { "\($0) %" } ?? "–", board.rssi.map { "\($0) dBm" } ?? "–",
      ])
    }
    return table.lines
  }

  /// Returns the table of streams. It is separate from the table of boards, so that the losses fit
  /// into 80 columns.
  private static func streams(_ status: GatewayStatus) -> [String] {
    var table = TextTable([
      .init("board"), .init("signal"), .init("requested", .right), .init("measured", .right),
      .init("received", .right), .init("lost", .right), .init("reasons"),
    ])
    for board in status.boards {
      for (number, stream) in board.streams.enumerated() {
        var reasons = LossReason.allCases.compactMap { reason in
          stream.lost[reason].map { "\(reason.name) \(NumberText.grouped($0))" }
        }
        let missing = stream.missing
        let sign = missing == 0 ? "" : "~"
        if missing > 0 { reasons.append("missing ~\(NumberText.grouped(missing))") }
        table.append([
          number == 0 ? board.name : "", stream.signal,
          "\(NumberText.fixed(stream.requestedRate, decimals: 1)) Hz",
          "\(NumberText.fixed(stream.measuredRate, decimals: 1)) Hz",
          NumberText.grouped(stream.received),
          sign + NumberText.grouped(stream.lost.values.reduce(missing, +)),
          reasons.joined(separator: ", "),
        ])
      }
    }
    return table.lines
  }

  private static func uploads(_ status: GatewayStatus) -> [String] {
    var table = TextTable([
      .init("destination"), .init("sent", .right), .init("waiting", .right),
      .init("parked", .right), .init("last success"), .init("next try"), .init("error"),
    ])
    for upload in status.uploads {
      table.append([
        upload.destination, NumberText.grouped(upload.sent),
        NumberText.grouped(upload.waiting), NumberText.grouped(upload.parked),
        upload.successAge.map { "\(DurationText.short($0)) ago" } ?? "never",
        upload.isEnabled
          ? upload.retry.map { "in \(DurationText.short($0))" }
            ?? (upload.error.isEmpty ? "when data is waiting" : "now")
          : "not now", upload.error.split(separator: "\n").first.map(String.init) ?? "",
      ])
    }
    return table.lines
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
