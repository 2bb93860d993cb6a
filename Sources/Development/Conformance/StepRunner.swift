internal import Recording
internal import Terminal
internal import Values

/// Checks the step counter against recordings with known step counts.
///
/// Each accelerometer is a case. Its count may differ from the truth by the truth's uncertainty
/// plus 3 %, or 8 % in a bag and on a leg. If the wearer took no steps, the count must be 0.
///
/// Each pair of feet is another case: swapped labels must be reported as swapped, and correct
/// labels must not.
public struct StepRunner {
  /// The format's name on the command line.
  public static let name = "steps"

  private var verdict = Verdict()
  private var table = TextTable([
    .init("recording"), .init("placement"), .init("true steps", .right), .init("counted", .right),
    .init("error in %", .right), .init("verdict"),
  ])

  /// Evaluates all recordings in a folder. Returns the table's lines, and the verdict.
  public static func run(
    folder: String
  ) throws(VectorFileError) -> (table: [String], verdict: Verdict) {
    let folder = try StepFolder(folder)
    var runner = StepRunner()
    for recording in folder.recordings {
      runner.judge(recording, counted: try StepSamples.steps(in: recording))
    }
    for feet in folder.feet {
      try runner.judge(
        feet.left.name + " and " + feet.right.name, left: StepSamples.mountings(in: feet.left),
        right: StepSamples.mountings(in: feet.right))
    }
    runner.verdict.skip(
      folder.uncounted, because: "the manifest does not contain its step count")
    return (folder.recordings.isEmpty ? [] : runner.table.lines + [""], runner.verdict)
  }

  private mutating func judge(_ recording: StepRecording, counted count: Int) {
    let truth = recording.truth
    let steps = "\(truth.steps) ± \(NumberText.plain(truth.uncertainty))"
    let isAccepted = recording.accepts(count)
    table.append([
      recording.name, recording.placement, steps, String(count), Self.error(count, truth.steps),
      isAccepted ? "passed" : "FAILED",
    ])
    let id = "\(recording.name), \(PlainText.cleaned(recording.placement))"
    verdict.record(id) { () throws(Objection) in
      guard !isAccepted else { return }
      let percent = NumberText.fixed(100 * recording.tolerance, decimals: 0)
      let expected = truth.steps > 0 ? "\(steps), with a tolerance of \(percent) %" : "0"
      throw .failed("counted \(count) steps, expected \(expected)")
    }
  }

  /// Mountings of the two feet are compared if they are less than this many seconds apart.
  private static let together = 1.0

  private mutating func judge(
    _ pair: String, left: [(time: Double, mounting: Mounting)],
    right: [(time: Double, mounting: Mounting)]
  ) {
    let (one, other) = (BoardAddress(value: 1), BoardAddress(value: 2))
    func areSwapped(_ left: Mounting, _ right: Mounting) -> Bool {
      MountingCheck.faults(of: [
        PlacedBoard(one, at: "left foot", left), PlacedBoard(other, at: "right foot", right),
      ]).contains { $0.kind == .swapped }
    }
    var (count, alarms, missed) = (0, 0, 0)
    for left in left {
      for right in right where abs(left.time - right.time) < Self.together {
        count += 1
        if areSwapped(left.mounting, right.mounting) { alarms += 1 }
        if !areSwapped(right.mounting, left.mounting) { missed += 1 }
      }
    }
    verdict.record("\(pair), labels") { () throws(Objection) in
      guard count == 0 || alarms > 0 || missed > 0 else { return }
      throw .failed(
        "in \(count) comparisons, correct labels were reported as swapped \(alarms) times, and "
          + "swapped labels were missed \(missed) times")
    }
  }

  /// Returns the signed difference from the truth in per cent.
  private static func error(_ count: Int, _ truth: Int) -> String {
    guard truth > 0 else { return "-" }
    let percent = 100 * Double(count - truth) / Double(truth)
    return (percent > 0 ? "+" : "") + NumberText.fixed(percent, decimals: 1)
  }
}
