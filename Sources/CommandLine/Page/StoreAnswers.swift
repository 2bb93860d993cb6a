internal import Export
internal import Gateway
internal import LinuxSystem
public import Recording
internal import Storage
internal import Values
internal import Web

/// Answers page requests from a store, in the same form as the commands with `--json`.
public struct StoreAnswers: Sendable {
  let store: StoreLocation
  /// The streams of the store's only session, if the store is a copy that may lack chunks; `nil`
  /// for other stores.
  var described: [SourceStream]?

  public init(store: StoreLocation, described: [SourceStream]? = nil) {
    self.store = store
    self.described = described
  }

  /// Throws if the store file does not exist.
  private func path() throws -> String { try store.existingPath() }

  /// Returns the sessions as `footbridge sessions --json` lists them.
  func sessions(newest: Int?) throws -> JSONValue {
    let path = try store.path()
    guard StoreReader.exists(at: path) else { return [] }
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    let shown = try reader.sessions(newest: newest)
    let isBeingRecorded = StoreReader.isBeingRecordedInto(path)
    return .array(
      try reader.outlines(of: shown, tail).map {
        SessionLine(outline: $0, isBeingRecorded: isBeingRecorded).json
      })
  }

  /// Returns a session as `footbridge show --json` shows it.
  func session(_ id: UniqueID) throws -> JSONValue {
    let summary = try SessionSummary(of: find(id), in: path(), readingAll: false)
    return SessionReport(summary: summary, listsChunks: false).json
  }

  /// Returns a session's fixes, thinned to at most `points`. For a session that is being recorded,
  /// the latest fix is included.
  func track(_ id: UniqueID, points: Int) throws -> JSONValue {
    let session = try find(id)
    let fixes = try StoredSession.find(id, in: path())?.fixes(from: 0, limit: .max) ?? []
    let step = max(1, Double(fixes.count - 1) / Double(points - 1))
    let count = fixes.isEmpty ? 0 : Int(Double(fixes.count - 1) / step) + 1
    let shown = (0..<count).map { fixes[min(Int((Double($0) * step).rounded()), fixes.count - 1)] }
    return [
      "fixes": .array(
        shown.map { fix in
          [
            fix.arrival.seconds(since: session.start).json(decimals: 3),
            fix.latitude.json, fix.longitude.json, fix.altitudeMSL.json, fix.speed.json,
          ]
        })
    ]
  }

  /// Returns the common hazard names: the built-in names, and those from the pulled definitions.
  func hazardNames() throws -> JSONValue {
    let pulled = try? PulledDefinitions.read(store: store.path())
    var names = Hazard.usualNames
    for name in pulled?.definitions.hazards ?? []
    where !names.contains(where: { $0.lowercased() == name.lowercased() }) {
      names.append(name)
    }
    return ["names": names.json]
  }

  /// Returns the definitions as `footbridge definitions --json` shows them.
  func definitions() throws -> JSONValue { try DefinitionsText(storeAt: path()).json }

  func hazards(_ id: UniqueID) throws -> JSONValue {
    let session = try find(id)
    let hazards = try StoreReader(path: path()).hazards(of: id)
    return .array(hazards.map { SessionReport.json($0, in: session) })
  }

  /// Returns a session's tasks as JSON, with the current time or, for an ended session, its end.
  func tasks(_ id: UniqueID) throws -> JSONValue {
    let session = try find(id)
    let path = try path()
    let now = try store.noteTime(in: session)
    // An interrupted session has no end yet, but its tasks are not running.
    let isOpen = session.end == nil && StoreReader.isBeingRecordedInto(path)
    let log = TaskLog(try StoreReader(path: path).events(of: id), until: isOpen ? nil : now)
    return TaskText.json(log, in: session, at: now)
  }

  private func annotations(of session: Session) throws -> JSONValue {
    let annotations = try StoreReader(path: path()).annotations(of: session.id)
    return .array(annotations.map { SessionReport.json($0, in: session) })
  }

  /// Returns a session as a file that a browser downloads.
  func export(_ id: UniqueID, format: String) throws -> PageAnswer {
    guard let format = ExportFormat(rawValue: format), !format.isFolder else {
      throw PageFault(400, "unknown format '\(String(format.prefix(20)))'")
    }
    let session = try find(id)
    var export = SessionExport(store: try path(), session: session.id)
    export.described = described
    // Two tables with the same name would overwrite each other in the browser's download folder.
    let isNamed = format.rawValue == format.ending
    let ending = isNamed ? format.ending : "\(format.rawValue).\(format.ending)"
    let name = "walk-\("\(id)".prefix(8)).\(ending)"
    return .download(name: name, kind: format.mediaType) { [export] download in
      var sink = DownloadSink(download: download)
      _ = try export.write(as: format, into: &sink)
    }
  }

  /// The formats in which a session can be downloaded.
  static var formats: JSONValue {
    [
      "formats": .array(
        ExportFormat.allCases.filter(\.suitsEverySession).map {
          ["name": $0.rawValue.json, "title": $0.title.json]
        })
    ]
  }

  // MARK: Commands

  /// Stores a remark about a session: a hazard, a note, a report or a change to its tasks. If a
  /// remark with the same id is received twice, it is stored only once.
  func note(_ remark: PageQuestion.Remark, in id: UniqueID) throws -> JSONValue {
    let named = try find(id)
    switch remark.content {
    // A report belongs to the session that it names, even if it is sent long after the session has
    // ended.
    case .report(let json): return try submit(json, remark, about: named)
    case .text(let text, nil):
      let (session, time) = try place(of: remark.time, in: named)
      try check(
        StoreEditor(path: path()).annotate(
          Annotation(time: time, text: text), session: session.id, id: remark.id))
      return ["annotations": try annotations(of: session)]
    case .text(let text, let former?):
      let (session, time) = try place(of: remark.time, in: named)
      try check(
        StoreEditor(path: path()).correct(
          Annotation(time: time, text: former), to: text, session: session.id, id: remark.id,
          at: store.noteTime(in: session), utc: BootClock.systemTime()))
      return ["annotations": try annotations(of: session)]
    case .task(let action, let task, let reason):
      let (session, time) = try place(of: remark.time, in: named)
      let change = try Self.change(action, task, reason)
      do {
        try check(TaskReport.note(change, in: session.id, at: time, id: remark.id, path()))
      } catch let conflict as TaskConflict {
        throw PageFault(409, conflict.message, remedy: conflict.remedy)
      }
      return try tasks(session.id)
    case .hazard(let name, let intensity):
      let (session, time) = try place(of: remark.time, in: named)
      // The phone may have stored the hazard before the walk ended, so the hazard's own time is
      // used even after the walk.
      let isTap = if case .ago = remark.time { true } else { false }
      try check(
        HazardReport.note(
          [(name, intensity)], in: session.id, at: time, keepsTime: false, yieldsToLater: isTap,
          id: remark.id, path()))
      return ["hazards": try hazards(session.id)]
    }
  }

  /// Stores a report about a session. If a report with the same id is received twice, it is stored
  /// only once.
  private func submit(
    _ json: JSON, _ remark: PageQuestion.Remark, about session: Session
  ) throws -> JSONValue {
    guard var report = WalkReport(json: json) else {
      throw PageFault(
        400, "the report is invalid",
        remedy: "'hazards' must be one of none, reported and unanswered; each value in 'answers' "
          + "must be a number, null, or one line of at most \(LineOfText.longest) characters")
    }
    var utc = BootClock.systemTime()
    if case .ago(let seconds, let sent) = remark.time {
      let now = BootClock.now()
      let asked = try sent?.time().map { min($0, now) } ?? now
      let age = now.seconds(since: asked) + seconds
      utc = UTCTime(nanoseconds: utc.nanoseconds - Int64(age * 1e9))
    }
    report.utc = utc
    let path = try path()
    try check(
      StoreEditor(path: path).submit(
        report, session: session.id, id: remark.id, at: store.noteTime(in: session)))
    let events = try StoreReader(path: path).events(of: session.id)
    return ["reports": .array(WalkReport.all(in: events).map(ReportText.json))]
  }

  private static func change(
    _ action: PageQuestion.Remark.TaskAction, _ task: String?, _ reason: String
  ) throws(PageFault) -> TaskChange {
    guard task.map(TaskLog.isID) ?? true else {
      throw PageFault(400, "'task' is not the id of a task", remedy: "an id \(TaskLog.rule)")
    }
    switch action {
    case .begin: return .begin(task ?? "")
    case .end(let isEarly): return .end(task, stoppedBecause: isEarly ? reason : nil)
    case .skip: return .skip(task ?? "", because: reason)
    }
  }

  private func check(_ state: ReportState) throws(PageFault) {
    switch state {
    case .stored: break
    case .other:
      throw PageFault(
        409, "this 'id' was already used for something else", remedy: "use a new random id")
    case .absent:
      throw PageFault(
        409, "this note has changed since the page showed it", remedy: "open the walk again")
    }
  }

  /// The tolerance in seconds for remarks that are slightly outside their session because of delays
  /// in phones and networks.
  private static let tolerance = 3.0

  /// The number of recent sessions to search for the one that a remark belongs to.
  private static let candidates = 20

  /// Returns the session to which a remark belongs, and the remark's time in that session. A phone
  /// that was offline names the last session that it loaded, which may be an earlier one. The time
  /// therefore determines the session.
  private func place(
    of time: PageQuestion.Remark.Time, in named: Session
  ) throws -> (Session, BootTime) {
    let instant = try instant(time, in: named)
    guard case .failure = instant, case .ago = time else { return (named, try instant.get()) }
    let newest = try StoreReader(path: path()).sessions(newest: Self.candidates)
    for session in newest.reversed() where session.gateway == named.gateway {
      if case .success(let instant) = try self.instant(time, in: session) {
        return (session, instant)
      }
    }
    return (named, try instant.get())
  }

  /// Returns a remark's time within the session. Returns a fault if the time is clearly outside the
  /// session, because moving a hazard into it would falsify the hazard's time and position.
  private func instant(
    _ time: PageQuestion.Remark.Time, in session: Session
  ) throws -> Result<BootTime, PageFault> {
    let latest = try store.noteTime(in: session)
    let known: BootTime?
    switch time {
    case .at(let seconds): known = session.start.advanced(bySeconds: seconds)
    case .ago(let seconds, let sent):
      // The request may have been in transit for seconds, or may have waited for the disk. So the
      // time at which the request was sent is used, if known.
      let now = BootClock.now()
      let asked = try sent?.time().map { min($0, now) } ?? now
      known = try self.instant(asked.advanced(bySeconds: -seconds), in: session)
    }
    guard let instant = known else {
      return .failure(Self.outside("at a time that can no longer be determined"))
    }
    guard session.start.seconds(since: instant) <= Self.tolerance else {
      return .failure(Self.outside("before the walk began"))
    }
    guard instant.seconds(since: latest) <= Self.tolerance else {
      return .failure(Self.outside("after the walk ended"))
    }
    return .success(min(max(instant, session.start), latest))
  }

  /// Converts a time from this boot or an earlier one to a session's clock. Returns `nil` if no
  /// clock table covers the time.
  private func instant(_ time: BootTime, in session: Session) throws -> BootTime? {
    if session.bootID == (try BootClock.bootID()) { return time }
    // The computer has been restarted since the session, so the clocks can be related only through
    // UTC.
    let clock = try StoreReader(path: path()).clock(of: session.id)
    let utc = BootClock.systemTime().nanoseconds - (BootClock.now().nanoseconds - time.nanoseconds)
    guard BootClock.isSystemTimeSynchronised, clock.isTrusted else { return nil }
    return clock.boot(at: UTCTime(nanoseconds: utc))
  }

  /// Returns the newest session if the remark states its age; otherwise `nil`. Such a remark may
  /// belong to that session even if nothing is being recorded now.
  func lastSession(before time: PageQuestion.Remark.Time) throws -> UniqueID? {
    guard case .ago = time, let path = try? path() else { return nil }
    return try StoreReader(path: path).sessions(newest: 1).first?.id
  }

  private static func outside(_ when: String) -> PageFault {
    PageFault(409, "this was \(when)", remedy: "set 'at' to a time within the walk")
  }

  /// Corrects a session's participant, wearer or note, or swaps the labels of two of its boards.
  func edit(
    _ id: UniqueID, participant: String?, wearer: String?, note: String?, swap: [BoardAddress]
  ) throws -> JSONValue {
    let session = try find(id)
    var edits = [wearer.map { SessionEdit.wearer($0) }, note.map { .note($0) }].compactMap { $0 }
    let path = try path()
    if swap.count == 2 {
      let boards = try StoreReader(path: path).boards(of: id).map(\.address)
      guard swap.allSatisfy(boards.contains) else {
        throw PageFault(400, "'swap' names a board that is not in this session")
      }
      edits.append(.swap(swap[0], swap[1]))
    }
    do throws(Participant.Unknown) {
      if let participant {
        edits.append(
          .participant(try PulledDefinitions.participant(participant, inStore: path)))
      }
    } catch {
      throw PageFault(400, error.message, remedy: error.remedy)
    }
    try StoreEditor(path: path).edit(
      id, edits, at: store.noteTime(in: session), utc: BootClock.systemTime())
    return [:]
  }

  func delete(_ id: UniqueID) throws -> JSONValue {
    let path = try path()
    _ = try find(id)
    guard !StoreReader.isBeingRecordedInto(path) else {
      throw PageFault(409, "a session is being recorded", remedy: "stop the recording first")
    }
    _ = try StoreMaintenance(path: path).delete(id, at: BootClock.systemTime())
    return [:]
  }

  /// Throws if the store does not contain the session.
  func find(_ id: UniqueID) throws -> Session {
    guard let session = try StoreReader(path: path()).session(id) else {
      throw PageFault(404, "session \(id) not found", remedy: "reload the list of walks")
    }
    return session
  }
}

extension ExportFormat {
  /// The description of the export format, as shown to users.
  fileprivate var title: String {
    switch self {
    case .csv: "CSV: a table of all samples"
    case .jsonl: "JSON lines: one line for each sample"
    case .json: "JSON: one document with everything"
    case .geojson: "GeoJSON: track and hazards for maps"
    case .gpx: "GPX: track and hazards for navigation devices"
    case .table: "CSV: a table with all sensors side by side"
    case .sto: "STO: orientations for OpenSense"
    case .bids: "BIDS: a folder for research"
    }
  }

  fileprivate var mediaType: String {
    switch self {
    case .csv: "text/csv; charset=utf-8"
    case .jsonl: "application/jsonl"
    case .json: "application/json"
    case .geojson: "application/geo+json"
    case .gpx: "application/gpx+xml"
    case .table: "text/csv; charset=utf-8"
    case .sto: "text/tab-separated-values"
    case .bids: "inode/directory"
    }
  }
}

/// Passes an export's bytes to a download.
private struct DownloadSink: ByteSink {
  let download: PageDownload

  mutating func write(_ bytes: Span<UInt8>) throws { try download.write(bytes) }
}
