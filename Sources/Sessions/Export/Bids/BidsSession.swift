internal import Recording
internal import Values

/// Writes one session's files, but not those of its participant or the dataset.
struct BidsSession<Source: SessionSource> {
  let source: Source
  let selection: ExportSelection
  let place: BidsStudy.Place
  let files: StagedFolder

  private var stem: String { place.stem }
  private var folder: String { place.folder }

  /// Returns the name of the task in the selected part of the session; `walk` unless that part
  /// contains exactly one task.
  private func task() throws -> String {
    let turns = try TaskLog(source.events(), until: source.session.end).turns.filter { turn in
      turn.outcome != .skipped && selection.overlaps(turn.begin, turn.end ?? turn.begin)
    }
    let names = Set(turns.map(\.task))
    return names.count == 1 ? names.first ?? Self.usualTask : Self.usualTask
  }

  private static var usualTask: String { "walk" }

  /// Writes the session's files. Returns the totals, or `nil` if the selected part contains neither
  /// a sample nor a track.
  func write(pause: (Int) throws -> Void) throws -> ExportTotals? {
    let task = try task()
    let prefix =
      "\(folder)/motion/\(stem)_task-\(BidsLabel.plain(task, otherwise: Self.usualTask))_tracksys-"
    var events = try MotionEvents(source, selection: selection)
    var totals: [ExportTotals.Stream] = []
    var scans: [(name: String, start: BootTime)] = []
    var written = 0
    for system in try MotionSystem.all(source, selection: selection) {
      let (runs, ofSystem) = try write(system, to: prefix + system.label, &events) {
        try pause(written + $0)
      }
      totals += ofSystem
      written += ofSystem.reduce(0) { $0 + $1.rows }
      scans += try describe(runs, of: system, task: task, &events)
    }
    if let system = try gpsSystem() {
      let runs = try writeTrack(system, to: prefix + system.label)
      scans += try describe(runs, of: system, task: task, &events)
    }
    guard !scans.isEmpty else { return nil }
    try writeScans(scans)
    let all = ExportTotals(streams: totals, hasUnknownLosses: try source.hasUnknownLosses())
    try writeSources(all)
    return all
  }

  // MARK: Motion

  /// Writes a board's motion, and adds its gaps and walks to the events.
  private func write(
    _ system: MotionSystem, to path: String, _ events: inout MotionEvents,
    pause: (Int) throws -> Void
  ) throws -> ([MotionRun], [ExportTotals.Stream]) {
    guard let board = system.board?.address else { return ([], []) }
    var gaps = try GapTable(.list, of: source)
    var part = selection
    part.boards = [board]
    part.signals = Set(system.streams.map(\.signal))
    var merge = try SampleMerge(source, part)
    try merge.begin(in: source, gaps: &gaps)
    // A board may have recorded the same signal at two rates, which belong to separate systems.
    let streamOfCursor = merge.positions.map { system.positions.firstIndex(of: $0) }
    var writer = MotionWriter(system, in: files) { "\(path)_run-\($0)_" }
    var detector = MotionWalks(system)
    var count = 0
    while let index = merge.earliest {
      if let stream = streamOfCursor[index] {
        let time = merge.time(index)
        let column = system.columns[stream]
        var walk: MotionEvents.Event?
        try writer.add(time, stream: stream) { values in
          for axis in 0..<merge.cursors[index].axisCount {
            values[column + axis] = merge.cursors[index].value(axis)
          }
          if detector?.stream == stream {
            walk = detector?.add(
              values[column], values[column + 1], values[column + 2],
              number: merge.cursors[index].number, at: BootTime(nanoseconds: time))
          }
        }
        if let walk { events.add(walk) }
        merge.count(index, isPositioned: false)
        count += 1
        if count.isMultiple(of: Self.pauseCount) { try pause(count) }
      }
      if !merge.step(index) {
        try merge.load(index, from: source, gaps: &gaps)
        events.take(&gaps, system)
      }
    }
    events.take(&gaps, system)
    if let last = detector?.finish() { events.add(last) }
    let totals = zip(streamOfCursor, merge.totals.streams).filter { $0.0 != nil }.map(\.1)
    return (try writer.finish(), totals)
  }

  /// Number of samples between two progress reports.
  private static var pauseCount: Int { 8_192 }

  /// Writes the files that accompany each motion file. Returns the motion files.
  private func describe(
    _ runs: [MotionRun], of system: MotionSystem, task: String, _ events: inout MotionEvents
  ) throws -> [(name: String, start: BootTime)] {
    let sidecar = MotionSidecar(
      system: system, task: task,
      isImported: try source.events().contains { $0.kind == .imported })
    var scans: [(name: String, start: BootTime)] = []
    for (index, run) in runs.enumerated() {
      var stem = run.stem
      if runs.count == 1 {
        // A run number would suggest that there are other runs.
        stem.removeLast("run-1_".count)
        try files.rename(run.stem + "motion.tsv", to: stem + "motion.tsv")
      }
      try files.put(sidecar.description(of: run), at: stem + "motion.json")
      try files.put(sidecar.channels(of: run), at: stem + "channels.tsv")
      try files.put(MotionSidecar.explanation, at: stem + "channels.json")
      try files.write(stem + "events.tsv") { file in
        try events.write(
          run, from: MotionEvents.begin(of: run, after: index > 0 ? runs[index - 1] : nil),
          until: index + 1 < runs.count ? MotionEvents.begin(of: runs[index + 1], after: run) : nil,
          board: system.board?.address, to: &file)
      }
      try files.put(MotionEvents.explanation, at: stem + "events.json")
      scans.append(
        (String(stem.dropFirst(folder.count + 1)) + "motion.tsv", BootTime(nanoseconds: run.first)))
    }
    events.removeGaps()
    return scans
  }

  // MARK: Track

  /// Returns the track as a tracking system; `nil` if there are fewer than two fixes, which are too
  /// few to determine a rate.
  private func gpsSystem() throws -> MotionSystem? {
    var arrivals: [BootTime] = []
    try TrackReader(selection).forEach(of: FixWindow.pageSize, source) {
      arrivals.append($0.arrival)
    }
    var intervals = zip(arrivals.dropFirst(), arrivals).map { $0.seconds(since: $1) }
    intervals.sort()
    guard !intervals.isEmpty, intervals[intervals.count / 2] > 0 else { return nil }
    // Arrivals jitter by a few milliseconds. Receivers are set to a multiple of 0.1 Hz.
    let rate = 1 / intervals[intervals.count / 2]
    return MotionSystem(fixesAt: rate > 0.05 ? max(0.1, (rate * 10).rounded() / 10) : rate)
  }

  private func writeTrack(_ system: MotionSystem, to path: String) throws -> [MotionRun] {
    var writer = MotionWriter(system, in: files) { "\(path)_run-\($0)_" }
    try TrackReader(selection).forEach(of: .max, source) { fix in
      try writer.add(fix.arrival.nanoseconds, stream: 0) { values in
        values[1] = fix.latitude
        values[2] = fix.longitude
        if let altitude = fix.altitudeMSL { values[3] = altitude }
        if let error = fix.error { values[4] = error.horizontal }
        if let speed = fix.speed { values[5] = speed }
      }
    }
    return try writer.finish()
  }

  // MARK: Session

  /// Writes the table of motion files, with the times of their first rows.
  private func writeScans(_ scans: [(name: String, start: BootTime)]) throws {
    let clock = ClockTable(try source.clockEntries())
    let moments = Moments(start: source.session.start, clock)
    var table = TabTable(header: ["filename", "acq_time", "time_source", "session_time"])
    for scan in scans {
      table.append([
        scan.name, TabTable.field(moments.utc(scan.start)),
        clock.utc(at: scan.start) == nil ? TabTable.unknown : clock.sourceName,
        moments.seconds(scan.start),
      ])
    }
    try files.put(table.text, at: "\(folder)/\(stem)_scans.tsv")
    try files.put(Self.scansExplanation, at: "\(folder)/\(stem)_scans.json")
  }

  private static var scansExplanation: String {
    let sources: JSONValue = [
      "gps": "satellite receiver", "ntp": "synchronised clock of the computer",
      "system": "clock of the computer, which was not synchronised and may be wrong",
    ]
    return BidsText.json([
      .column("time_source", "Source of the acquisition time", levels: sources),
      .column(
        "session_time",
        "Time of the first row since the start of the session, on a clock that all tracking "
          + "systems of the session share", unit: "s"),
    ])
  }

  /// Writes the session's description, all its events, and its track as GeoJSON.
  private func writeSources(_ totals: ExportTotals) throws {
    let tables = SideTables(selection: selection)
    let path = "sourcedata/\(folder)/\(stem)_"
    try files.write(path + "track.geojson") { file in
      try GeoJSONExport(selection: selection).write(source, to: &file)
    }
    try files.write(path + "session.json") { file in
      try tables.writeDescription(source, totals, to: &file)
    }
    try files.write(path + "events.csv") { file in try tables.writeEvents(source, to: &file) }
  }
}
