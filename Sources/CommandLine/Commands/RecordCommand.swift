internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Recording
internal import Terminal
internal import Values

/// `footbridge record`: records samples from boards and, if requested, positions from a receiver.
struct RecordCommand: StoreVerb {
  var store: StoreLocation
  /// The number of boards to record. The command uses the first boards that it finds.
  var boards = 1
  /// The boards to record instead of the first ones found, as typed by the user.
  var named: [String] = []
  /// Whether the recording fails if a board is missing.
  var requiresAll = false
  var sensors = SensorChoice()
  var settings = RecordingSettings()
  /// The participant who wears the boards, as typed by the user.
  var participant: String?
  /// Length of the recording in seconds; `nil` to record until interrupted.
  var seconds: Double?
  /// The folder for exports made after the recording; `nil` for none.
  var exportFolder: String?
  /// Whether the exports may replace existing files.
  var replaces = false
  /// The name of the Firestore destination that receives the live position; `nil` for none.
  var liveLocation: String?

  static let options: [Option<RecordCommand>] = {
    let boards = Option<RecordCommand>.option(
      "boards", .wholeNumber("N", in: 1...10), default: 1, help: "number of boards, 1 to 10",
      sets: \.boards)
    let named = Option<RecordCommand>.option(
      "board", .board, excludes: ["boards"],
      help: "record this board, by address or name (repeatable)", adds: \.named
    )
    let rest: [Option<RecordCommand>] = [
      .flag(
        "require-all",
        help: "fail if a board is missing, instead of starting without it",
        sets: \.requiresAll, to: true),
      .option(
        "interval", .word("MS"),
        help: "Bluetooth connection interval: 7.5, 15 or 30 ms (default: depends on the number "
          + "of boards)", sets: \.settings.pace),
      .option(
        "gps", .positions,
        help: "also record positions, from the serial port of a GPS receiver such as /dev/gps0, "
          + "gpsd, gpsd://HOST, file:PATH or fixed:LATITUDE,LONGITUDE", sets: \.settings.receiver),
      .option(
        "seconds", .seconds(upTo: 31_536_000),
        help: "stop after N seconds of samples, or after M:SS (default: Ctrl-C)",
        sets: \.seconds),
      .option(
        "seal", .number("MINUTES", above: 0, upTo: 1_440),
        default: RecordingSettings.usualSealMinutes,
        help: "seal partly filled chunks after this many minutes",
        sets: \.settings.sealMinutes),
      .option(
        "at-risk", .wholeNumber("SECONDS", in: 1...60),
        default: RecordingSettings.usualAtRiskSeconds,
        help: "lose at most this many seconds of samples in a power cut; more seconds mean fewer "
          + "writes",
        sets: \.settings.atRiskSeconds),
      .option("note", .text("TEXT"), help: "a remark about the session", sets: \.settings.note),
      .option(
        "hazard", .hazard("HAZARD"),
        help: "a hazard on the route and its intensity from 0 to 3, as in Slippery=2 (repeatable)",
        adds: \.settings.hazards),
      .option(
        "participant", .participant, help: "the study participant who wears the boards",
        sets: \.participant),
      .option(
        "wearer", .text("TEXT"), help: "a remark about the person who wears the boards",
        sets: \.settings.wearer),
      .option(
        "gateway", .text("TEXT"), help: "the name of this computer (default: its host name)",
        sets: \.settings.gateway),
      .option(
        "export", .folder("FOLDER"),
        help: "at the end, write samples.csv, its tables and track.geojson into this folder",
        sets: \.exportFolder),
      .force(sets: \.replaces),
      .option(
        "live-location", .destination("NAME"),
        help: "publish the current position to this Firestore destination until the recording "
          + "ends; see 'footbridge destination'", sets: \.liveLocation),
      .adapters(adds: \.settings.adapters),
      .store(sets: \.store),
    ]
    return [boards, named] + SensorChoice.options(to: "record").map { $0.lifted(into: \.sensors) }
      + rest
  }()

  static let definition = CommandDefinition<RecordCommand>(
    name: "record", summary: "record from boards until interrupted",
    discussion: """
      Looks for MetaWear boards, streams from the named boards, or else from the first ones found, \
      and records their samples together with the positions of a GPS receiver. A missing board \
      joins the recording when it appears. A lost connection is restored, and the gap is counted. \
      Ctrl-C ends the recording. Without --seconds, the exit status is then 0 if anything was \
      recorded. On a terminal, the command then asks for the report about the session (see \
      'footbridge survey'). An empty answer or Ctrl-C leaves the report for later. With --quiet, \
      it does not ask.

      On a terminal, keys note hazards and remarks during the recording: press h and the numbers \
      of a hazard and its intensity, or press n, type a text and press Enter. p pauses and resumes \
      the recording: samples that arrive during a pause are not stored, and count as lost. e ends \
      the recording like Ctrl-C; a note that is still being typed is then stored.

      Example: footbridge record left right --gps /dev/gps0
      """,
    initial: { RecordCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.board, adds: \.named).satisfied])

  func run(_ console: Console) async throws -> ExitStatus {
    var settings = settings
    settings.sensors = try sensors.possibleRequests(default: RecordingPlan.gait)
    let directory = try self.store.directory()
    guard self.named.isEmpty || boards == 1 else {
      throw Complaint.usage(
        "'--boards' and BOARD cannot be used together",
        remedy: "use either '--boards N' or board names",
        command: "\(Version.program) record")
    }
    let named = try directory.addresses(of: self.named)
    let store = try self.store.pathInFolder()
    let exports = try exportFolder.map {
      let folder = try WorkFolder(
        keeping: $0, remedy: "give a folder that you can write to, as in --export ~/walk")
      return try ExportFolder(folder.path, replaces: replaces)
    }
    let place = try liveLocation.map { name in
      try self.store.destinations(named: [name]).map(DestinationCommand.settings)
    }?.first
    if place != nil, settings.receiver == nil {
      throw Complaint(
        "'--live-location' needs a position source",
        remedy: "add --gps SOURCE, or leave --live-location out", status: .usage)
    }
    let definitions =
      settings.hazards.isEmpty && participant == nil
      ? nil : PulledDefinitions.read(store: store, console)?.definitions
    settings.gateway = settings.gateway ?? ThisComputer.name
    settings.hazards = try settings.hazards.map { request throws(Complaint) in
      try request.completed(among: definitions?.hazards ?? [])
    }
    settings.participant = try participant.map { id throws(Participant.Unknown) in
      try Participant.chosen(id, among: definitions?.participants ?? [])
    }
    let signals = Signals(console)
    var plan = RecordingPlan(
      settings, boards: named.isEmpty ? .any(count: boards) : .addresses(named),
      destination: .store(store), seconds: seconds)
    plan.requiresAll = requiresAll
    plan.names = directory.names
    plan.speedMemory = try? self.store.speedMemory()
    let report = try await ShownRecording.run(
      plan, showing: console.level > .quiet, signals, console, publishing: place)
    try self.store.noteSeen(report.boards.map(\.identity), in: directory)
    // The recording is exported even if nobody is reading the output any longer.
    if report.hasSamples {
      console.say(
        ([""] + Self.lines(report) + Self.missing(report, of: plan)
          + Self.positions(report, from: settings.receiver) + ["Session \(report.session)"])
          .joined(separator: "\n"))
    }
    var failures = report.firstFailure.map { [$0] } ?? []
    if !report.hasSamples, failures.isEmpty {
      console.say("No samples arrived, so no session was stored.")
    }
    do {
      if let exports, try exports.write(report, from: store) != nil {
        console.say("Exported to \(exportFolder ?? ""): \(ExportFolder.names)")
      }
    } catch {
      failures.append(error)
    }
    if let complaint = Complaint(explainingAll: failures) { throw complaint }
    // Without '--seconds', a signal is the normal way to end a recording.
    let status = seconds == nil && report.hasSamples ? .ok : signals.status
    if report.hasSamples, signals.status == .interrupted, Self.canAsk(console) {
      signals.leave(with: status)
      let survey = SurveyCommand(session: "\(report.session)", store: self.store)
      // The files were written before the questions were asked, because the user might not answer
      // them. The files are written again with the hazards and the report.
      do {
        if try survey.askAfterRecording(console) {
          _ = try exports?.replacing.write(report, from: store)
        }
      } catch {
        // The recording itself is complete even if the report fails.
        console.complain(Complaint(explaining: error))
      }
    } else if report.hasSamples, !Survey(store: store, console).questions.isEmpty {
      let session = report.session
      console.say(
        console.complete("Submit a report with '\(Version.program) survey \(session)'."))
    }
    return status
  }

  /// Whether a person at a terminal can answer questions.
  private static func canAsk(_ console: Console) -> Bool {
    console.level > .quiet && StandardInput.isTerminal && StandardInput.isAnswered
      && Keyboard.isInForeground
  }

  /// Returns lines with the counts for each stream and the incidents for each board.
  private static func lines(_ report: RecordingReport) -> [String] {
    let streams = StreamTotalsText(report: report)
    return streams.recorded + [""] + report.boards.flatMap(\.incidents) + streams.repeats
      + held(report)
  }

  /// Returns lines about the boards that never joined the recording.
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

  /// Returns lines that explain why no sample has a position; empty if positions were not requested
  /// or some samples have one.
  private static func positions(
    _ report: RecordingReport, from source: PositionSource?
  ) -> [String] {
    let samples = report.totals.streams.reduce(0) { $0 + $1.received }
    guard let source, samples > 0, report.totals.fixes == 0 else { return [] }
    let reason = report.receiver.map { $0.problem?.reason ?? ReceiverText.silence($0.state) }
    return [
      "0 of \(NumberText.grouped(samples)) samples have a position: "
        + TerminalText.harmless("\(source): \(reason ?? "it was not read")")
    ]
  }

  /// Returns a line about the samples that exist only in the tail file because the disk failed.
  private static func held(_ report: RecordingReport) -> [String] {
    let held = report.totals.streams.reduce(0) { $0 + $1.held }
    guard held > 0 else { return [] }
    let (samples, these) = held == 1 ? ("sample is", "it") : ("samples are", "them")
    return [
      "\(NumberText.grouped(held)) \(samples) only in a file next to the store, if the "
        + "disk accepted \(these). If the store still exists, 'show' and 'export' include "
        + "\(these). The next recording with this path moves \(these) into the store."
    ]
  }
}

extension RecordingReport.Board {
  /// Lines about the link parameters, the lost links and the ignored packets.
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
  /// The reason why packets of this kind were ignored, as shown in the report.
  fileprivate var reason: String {
    switch self {
    case .truncated: "too short"
    case .overlong: "too long"
    case .unknownCode: "unknown code"
    case .notFinite: "not a finite number"
    case .unknownModule: "unknown module"
    case .unknownRegister: "unknown register"
    case .unasked: "unsolicited response"
    case .strayedSample: "from a sensor that is not being recorded"
    case .contradiction: "unexpected module description"
    }
  }
}
