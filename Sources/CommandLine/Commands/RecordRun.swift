internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Recording
internal import Values

/// Body of `footbridge record`: what the demo does, with the boards and the receiver of this
/// system.
enum RecordRun {
  static let body: Commands.Body<RecordConfiguration> = { configuration, console in
    let directory = try configuration.store.directory()
    guard configuration.named.isEmpty || configuration.boards == 1 else {
      throw Complaint.usage(
        "'--boards' and BOARD exclude each other", remedy: "give one",
        command: "\(Version.program) record")
    }
    let named = try directory.addresses(of: configuration.named)
    let store = try configuration.store.pathInFolder()
    let exports = try configuration.exportFolder.map {
      let folder = try WorkFolder(
        keeping: $0, remedy: "name a folder you may write to, as in --export ~/walk")
      return try ExportFolder(folder.path, replaces: configuration.replaces)
    }
    let place = try configuration.liveLocation.map { name in
      try configuration.store.destinations(named: [name]).map(DestinationRun.settings)
    }?.first
    if place != nil, configuration.receiver == nil {
      throw Complaint(
        "'--live-location' needs a source of positions",
        remedy: "add --gps SOURCE, or leave --live-location out", status: .usage)
    }
    let signals = Signals(console)
    var plan = RecordingPlan(
      adapters: configuration.adapters,
      boards: named.isEmpty ? .any(count: configuration.boards) : .addresses(named),
      sensors: configuration.sensors.requests(default: RecordingPlan.gait),
      pace: configuration.pace, receiver: configuration.receiver, store: store,
      seconds: configuration.seconds)
    plan.requiresAll = configuration.requiresAll
    plan.names = directory.names
    plan.placements = directory.placements
    plan.speedMemory = try? configuration.store.speedMemory()
    plan.sealSeconds = configuration.sealMinutes * 60
    plan.note = configuration.note ?? ""
    plan.wearer = configuration.wearer ?? ""
    plan.gateway = configuration.gateway ?? ThisComputer.name
    for hazard in configuration.hazards { plan.hazards[hazard.name] = hazard.intensity }
    let report = try await ShownRecording.run(
      plan, showing: console.level > .quiet, signals, console, publishing: place)
    try configuration.store.noteSeen(report.boards.map(\.identity), in: directory)
    // Even if the reader of the output has gone, the recording is exported.
    if report.hasSamples {
      console.say(
        ([""] + lines(report) + missing(report, of: plan)
          + positions(report, from: configuration.receiver)
          + ["Session \(report.session)"]).joined(separator: "\n"))
    }
    var failures = report.firstFailure.map { [$0] } ?? []
    if !report.hasSamples, failures.isEmpty {
      console.say("No sample had come yet: there is no session of it.")
    }
    do {
      if let exports, try exports.write(report, from: store) != nil {
        console.say("Exported to \(configuration.exportFolder ?? ""): \(ExportFolder.names)")
      }
    } catch {
      failures.append(error)
    }
    if let complaint = Complaint(explainingAll: failures) { throw complaint }
    // Without a length, a signal is how a successful recording ends.
    return configuration.seconds == nil && report.hasSamples ? .ok : signals.status
  }

  /// What became of each stream, and what else happened to each board.
  private static func lines(_ report: RecordingReport) -> [String] {
    let streams = StreamTotalsText(report: report)
    return streams.recorded + [""] + report.boards.flatMap(\.incidents) + streams.repeats
      + held(report)
  }

  /// The boards that never came.
  private static func missing(_ report: RecordingReport, of plan: RecordingPlan) -> [String] {
    let absent = plan.boards.count - report.boards.count
    guard absent > 0 else { return [] }
    let there = Set(report.boards.map(\.identity.address))
    let names = plan.boards.addresses.filter { !there.contains($0) }.map { address in
      TerminalText.harmless(
        [plan.names[address], address.description].compactMap(\.self)
          .joined(separator: " "))
    }
    return [
      "\(absent) of \(plan.boards.count) boards did not join"
        + (names.isEmpty ? "" : ": " + names.joined(separator: ", "))
    ]
  }

  /// That no sample has a position, and why, if that is so and a position was wanted.
  private static func positions(
    _ report: RecordingReport, from source: PositionSource?
  ) -> [String] {
    guard let source, report.totals.fixes == 0 else { return [] }
    let samples = report.totals.streams.reduce(0) { $0 + $1.received }
    let reason = report.receiver.map { $0.problem?.reason ?? ReceiverText.silence($0.state) }
    return [
      "0 of \(NumberText.grouped(samples)) samples have a position: "
        + TerminalText.harmless("\(source): \(reason ?? "it was not listened to")")
    ]
  }

  /// What a disk that failed did not take into the database, if the tail has it.
  private static func held(_ report: RecordingReport) -> [String] {
    let held = report.totals.streams.reduce(0) { $0 + $1.held }
    guard held > 0 else { return [] }
    let (samples, these) = held == 1 ? ("sample is", "it") : ("samples are", "them")
    return [
      "\(NumberText.grouped(held)) \(samples) safe in a file beside the store. 'show' and "
        + "'export' include \(these); the next recording moves \(these) into the store."
    ]
  }
}

extension RecordingReport.Board {
  /// What its link came to, links that were lost and packets that were no use, if there were any.
  fileprivate var incidents: [String] {
    var lines = link.map { ["\(identity.address): link \($0.text)"] } ?? []
    if lostLinks > 0 {
      lines.append("\(identity.address): the link was lost \(times(lostLinks))")
    }
    for kind in PacketDiagnosis.Kind.allCases {
      guard let count = diagnosis.counts[kind] else { continue }
      let last = diagnosis.packets.last { $0.kind == kind }?.hexadecimal ?? ""
      lines.append(
        count == 1
          ? "\(identity.address): ignored one packet (\(kind.reason)): \(last)"
          : "\(identity.address): ignored \(NumberText.grouped(count)) packets (\(kind.reason)), "
            + "the last: \(last)")
    }
    return lines
  }

  private func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(count) times"
  }
}

extension PacketDiagnosis.Kind {
  /// Why such packets are ignored, in the words of the report.
  fileprivate var reason: String {
    switch self {
    case .truncated: "too short"
    case .overlong: "too long"
    case .unknownCode: "unknown code"
    case .notFinite: "not a finite number"
    case .unknownModule: "unknown module"
    case .unknownRegister: "unknown register"
    case .unasked: "answer to a question that was not asked"
    case .strayedSample: "from a sensor that is not being recorded"
    case .contradiction: "unexpected description of a module"
    }
  }
}
