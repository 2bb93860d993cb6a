internal import Recording
internal import Terminal
internal import Values

/// Tests the audit of other programs' recordings, using recordings with known times and losses.
///
/// Each file is a test case, and so is each recording. The audit must find all facts that the
/// manifest states. If the manifest describes times as regular, the audit must classify them as
/// computed.
public struct AuditRunner {
  /// The format's name on the command line.
  public static let name = "audit"

  private var verdict = Verdict()
  private var table = TextTable([
    .init("recording"), .init("sensor"), .init("rows", .right), .init("by times in Hz", .right),
    .init("true rate in Hz", .right), .init("times"), .init("gaps", .right),
    .init("missing in gaps", .right), .init("longest in ms", .right), .init("hidden loss", .right),
    .init("verdict"),
  ])

  /// Judges all recordings in a folder. Returns the table's lines, and the verdict.
  public static func run(
    folder: String
  ) throws(VectorFileError) -> (table: [String], verdict: Verdict) {
    let folder = try AuditFolder(folder)
    var runner = AuditRunner()
    for recording in folder.recordings { runner.judge(recording) }
    runner.verdict.skip(
      folder.skipped, because: "the manifest does not state the facts about its sensors")
    return (folder.recordings.isEmpty ? [] : runner.table.lines + [""], runner.verdict)
  }

  private mutating func judge(_ recording: AuditFolder.Recording) {
    let judged = AuditedRecording(recording.files.map(\.file))
    for (place, (sensor, file)) in recording.files.enumerated() {
      let faults = Self.faults(of: file, recording.truth["sensors"]?[sensor] ?? .null)
      let loss = judged.losses.first { $0.file == place }
      let hidden = judged.hiddenLoss(of: place).map { _ in "none found" } ?? "unknown"
      table.append([
        recording.name, sensor, String(file.rows),
        file.times.hertz.map { NumberText.fixed($0, decimals: 2) } ?? "unknown",
        judged.rates[place]?.text ?? "unknown",
        file.times.origin.rawValue, String(file.times.gapCount), String(file.times.missing),
        Self.milliseconds(file.times.largestGap).map { NumberText.plain($0) } ?? "unknown",
        loss.map { "\($0.rows) ± \($0.uncertainty)" } ?? hidden,
        faults.isEmpty ? "passed" : "FAILED",
      ])
      record("\(recording.name), \(PlainText.cleaned(sensor))", faults)
    }
    record(recording.name, Self.faults(of: judged, recording))
  }

  private mutating func record(_ id: String, _ faults: [String]) {
    verdict.record(id) { () throws(Objection) in
      guard !faults.isEmpty else { return }
      throw .failed(faults.joined(separator: "; "))
    }
  }

  private static func milliseconds(_ time: Int64?) -> Double? { time.map { Double($0) / 1e3 } }

  private static func faults(of file: AuditedFile, _ truth: JSON) -> [String] {
    let times = file.times
    guard file.problem == nil else { return ["the file cannot be judged"] }
    // A median between two rows is rounded by up to half a millisecond.
    let facts: [(name: String, found: Double?, tolerance: Double)] = [
      ("rows", Double(times.rows), 0), ("repeated_times", Double(times.repeated), 0),
      ("first_epoch_ms", milliseconds(times.first), 0),
      ("last_epoch_ms", milliseconds(times.last), 0), ("span_s", Double(times.span) / 1e6, 1e-6),
      ("nominal_hz", file.nominal, 1e-6), ("median_spacing_ms", milliseconds(times.median), 0.5),
      ("largest_gap_ms", milliseconds(times.largestGap), 0),
      ("rows_after_gap_over_1_5_spacings", Double(times.gapCount), 0),
      ("backward_times", Double(times.backward), 0), ("hz_by_times", times.hertz, 1e-3),
      ("distinct_spacings", Double(times.spacings.count), 0),
    ]
    var faults = Self.faults(facts, truth)
    if case .object(let counts) = truth["spacing_ms_counts"] {
      var found: [Double: Int] = [:]
      for spacing in times.spacings { found[Double(spacing.length) / 1e3] = spacing.rows }
      for (spacing, rows) in counts.sorted(by: { $0.key < $1.key })
      where Double(spacing).flatMap({ found[$0] }) != rows.integer {
        faults.append("spacing of \(PlainText.cleaned(spacing)) ms: the number of rows differs")
      }
    }
    faults += check("exactly_regular", times.isRegular, truth)
    if truth["exactly_regular"]?.bool == true, !times.origin.isComputed {
      faults.append("the regular times were classified as \(times.origin.rawValue)")
    }
    return faults + check("elapsed_agrees_with_epoch", file.elapsedFaults == 0, truth)
  }

  /// Compares a recording's files with the facts about the recording as a whole.
  private static func faults(
    of judged: AuditedRecording, _ recording: AuditFolder.Recording
  ) -> [String] {
    var faults: [String] = []
    let places = recording.files.indices.filter {
      ["accelerometer", "gyroscope"].contains(recording.files[$0].sensor)
    }
    let motion = places.map { recording.files[$0] }
    let truth = recording.truth
    if places.count == 2 {
      let comparison = judged.comparisons.first { [$0.first, $0.second] == places }
      faults = Self.faults(
        [
          ("count_difference", comparison.map { Double($0.rows) }, 0),
          ("first_difference_ms", milliseconds(comparison?.start), 0),
          ("last_difference_ms", milliseconds(comparison?.end), 0),
          ("largest_gap_ms", milliseconds(motion.compactMap(\.file.times.largestGap).max()), 0),
        ], truth)
    }
    return faults
      + check("rate_matches_name", motion.allSatisfy(\.file.isAtNominalRate), truth)
      + check("exactly_regular", motion.allSatisfy(\.file.times.isRegular), truth)
  }

  private static func check(_ name: String, _ found: Bool, _ truth: JSON) -> [String] {
    guard let expected = truth[name]?.bool, expected != found else { return [] }
    return ["\(name): expected \(expected)"]
  }

  private static func faults(
    _ facts: [(name: String, found: Double?, tolerance: Double)], _ truth: JSON
  ) -> [String] {
    facts.compactMap { fact in
      guard let expected = truth[fact.name]?.number else { return nil }
      if let found = fact.found, abs(found - expected) <= fact.tolerance { return nil }
      let found = fact.found.map { NumberText.plain($0) } ?? "unknown"
      return "\(fact.name): expected \(NumberText.plain(expected)), found \(found)"
    }
  }
}
