internal import Recording
internal import Values

/// The events of a session, for the events files of its tracking systems.
struct MotionEvents {
  struct Event {
    var time: BootTime
    /// Seconds; `nil` if unknown.
    var duration: Double?
    var type: String
    var description = ""
    var value: Double?
    var signal = ""
    var lost: UInt64?
    var isEstimate: Bool?
    /// The board that the event concerns; `nil` if it concerns all boards.
    var board: BoardAddress?
  }

  static let header = [
    "onset", "duration", "trial_type", "description", "value", "signal", "lost", "is_estimate",
  ]

  /// Maximum number of a tracking system's gaps to keep in memory. If there are more, neighbouring
  /// gaps are joined.
  private static let mostGaps = 50_000
  /// Maximum number of seconds by which an event may precede the first row of its file. Validators
  /// report earlier events as errors. The source data contain all events of the session.
  private static let lead = 59.0

  /// The events that are not gaps, in no particular order; `write` sorts them.
  private var events: [Event] = []
  /// The current tracking system's gaps.
  private var gaps: [Event] = []

  /// Collects the selected events, hazards, annotations and tasks of a session.
  init(_ source: some SessionSource, selection: ExportSelection) throws {
    let stored = try source.events()
    let kinds = Set(Self.storedKinds.map(\.name))
    for event in stored where selection.includes(event) && kinds.contains(event.kind.rawValue) {
      events.append(
        Event(
          time: event.time, duration: 0, type: event.kind.rawValue, description: event.text,
          value: event.value, board: event.board))
    }
    for turn in TaskLog(stored, until: source.session.end).turns
    where selection.overlaps(turn.begin, turn.end ?? turn.begin) {
      let outcome = [turn.outcome?.rawValue ?? "", turn.reason].filter { !$0.isEmpty }
      events.append(
        Event(
          time: turn.begin, duration: turn.end.map { max(0, $0.seconds(since: turn.begin)) },
          type: "task", description: ([turn.task] + outcome).joined(separator: ": "),
          value: Double(turn.repetition)))
    }
    for hazard in try source.hazards() where selection.includes(hazard.time) {
      events.append(
        Event(
          time: hazard.time, duration: 0, type: "hazard", description: hazard.name,
          value: Double(hazard.intensity)))
    }
    for note in try source.annotations() where selection.includes(note.time) {
      events.append(
        Event(time: note.time, duration: 0, type: "annotation", description: note.text))
    }
  }

  mutating func add(_ event: Event) { events.append(event) }

  /// Adds the gaps that an export has found, and removes them from the export's table.
  mutating func take(_ table: inout GapTable, _ system: MotionSystem) {
    for item in table.items {
      // Losses of unknown extent affect the whole session, and are reported with the totals.
      guard let position = item.position, let stream = system.positions.firstIndex(of: position),
        let start = item.start ?? item.end
      else { continue }
      gaps.append(
        Event(
          time: start,
          duration: item.start == nil ? nil : item.end.map { max(0, $0.seconds(since: start)) },
          type: "gap",
          description: item.detail.isEmpty ? item.reason : "\(item.reason): \(item.detail)",
          signal: system.streams[stream].signal, lost: item.lost,
          isEstimate: item.isEstimate, board: system.board?.address))
    }
    table.items = []
    if gaps.count > Self.mostGaps { joinGaps() }
  }

  /// Joins neighbouring gaps of the same signal and reason in pairs, so that memory stays bounded
  /// however many gaps there are. The number of lost samples remains exact.
  private mutating func joinGaps() {
    var joined: [Event] = []
    var open: [String: Int] = [:]
    for gap in gaps {
      let key = gap.signal + "\t" + gap.description
      if let place = open.removeValue(forKey: key) {
        let end = max(
          gap.time.advanced(bySeconds: gap.duration ?? 0),
          joined[place].time.advanced(bySeconds: joined[place].duration ?? 0))
        joined[place].time = min(joined[place].time, gap.time)
        let isKnown = gap.duration != nil && joined[place].duration != nil
        joined[place].duration = isKnown ? end.seconds(since: joined[place].time) : nil
        joined[place].lost = (joined[place].lost ?? 0).addingSaturated(gap.lost ?? 0)
        joined[place].isEstimate = joined[place].isEstimate == true || gap.isEstimate == true
      } else {
        open[key] = joined.count
        joined.append(gap)
      }
    }
    gaps = joined
  }

  /// Removes the gaps before the next tracking system is written.
  mutating func removeGaps() { gaps = [] }

  /// Returns the earliest time at which an event can belong to a run.
  static func begin(of run: MotionRun, after former: MotionRun?) -> BootTime {
    let begin = BootTime(nanoseconds: run.first).advanced(bySeconds: -lead)
    return former.map { max(begin, BootTime(nanoseconds: $0.last &+ 1)) } ?? begin
  }

  /// Writes the events of a board, and those of the whole session, that belong to a run: from
  /// `begin` until the next run begins.
  func write(
    _ run: MotionRun, from begin: BootTime, until next: BootTime?, board: BoardAddress?,
    to sink: inout some ByteSink & ~Copyable
  ) throws {
    let first = BootTime(nanoseconds: run.first)
    let chosen = (events + gaps).filter { event in
      (event.board == nil || event.board == board) && event.time >= begin
        && next.map { event.time < $0 } ?? true
    }
    let order = chosen.indices.sorted { (chosen[$0].time, $0) < (chosen[$1].time, $1) }
    var buffer = TextBuffer()
    buffer.append(TabTable.line(Self.header))
    for index in order {
      let event = chosen[index]
      buffer.append(
        TabTable.line([
          Self.seconds(event.time.seconds(since: first)),
          event.duration.map(Self.seconds) ?? TabTable.unknown, event.type,
          TabTable.field(event.description), TabTable.field(event.value.map { $0.json.text }),
          TabTable.field(event.signal), TabTable.field(event.lost.map(String.init)),
          TabTable.field(event.isEstimate.map { $0 ? "true" : "false" }),
        ]))
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    try buffer.flush(to: &sink)
  }

  private static func seconds(_ seconds: Double) -> String {
    TextBuffer.text { $0.append(seconds, decimals: 6) }
  }

  static let explanation = BidsText.json([
    .column(
      "trial_type", "Kind of the event",
      levels: .object((ownKinds + storedKinds).map { .init($0.name, $0.words) })),
    .column("description", "A gap's reason, a task's id, a hazard's name, or other text"),
    .column(
      "value",
      "Repetition of a task, intensity of a hazard (0 to 3), battery level in percent, or "
        + "another number of the event"),
    .column("signal", "Signal whose samples are missing"),
    .column("lost", "Number of samples lost in a gap"),
    .column(
      "is_estimate", "Whether the number of lost samples was estimated instead of counted"),
  ])

  /// The types of events that this export derives, with their descriptions.
  private static let ownKinds: [(name: String, words: String)] = [
    ("gap", "samples are missing; 'description' is the reason"),
    ("task", "a task of the study; 'description' is its id and outcome"),
    ("walk", "the wearer walked, as detected in the acceleration"),
    ("hazard", "a person reported a hazard"),
    ("annotation", "a person's remark"),
  ]

  /// The types of stored events that are written unchanged, with their descriptions. The other
  /// types say nothing about what happened during the recording.
  private static let storedKinds: [(name: String, words: String)] = [
    ("battery", "a board reported its battery level in percent"),
    ("link-lost", "the link to the board was lost"),
    ("reconnected", "the link to the board was established again"),
    ("reboot", "the board restarted"),
    ("silent", "the board sent no samples of the signals that 'description' names"),
    ("missing", "the board could not be reached when the recording started"),
    ("given-up", "the recorder stopped trying to reach the board"),
    ("settings", "the board was configured"),
    ("mounting", "the gateway determined how the board is attached"),
    ("paused", "a person paused the recording"),
    ("resumed", "a person ended the pause"),
    ("stopping", "the recorder began to stop the boards"),
    ("continued", "the recording was interrupted and continued"),
    ("receiver", "the state of the satellite receiver changed"),
    ("space", "the space for recordings is low"),
    ("imported", "another program recorded the session"),
  ]
}
