internal import Terminal
internal import Values

/// Checks the step counter against recordings with known step counts.
///
/// Each accelerometer is a case. Its count may differ from the truth by the uncertainty of the
/// truth plus 3 %, or 8 % in a bag and on a leg. If the wearer took no steps, the count must be 0.
public struct StepRunner {
  /// The name of the format on the command line.
  public static let name = "steps"

  private var verdict = Verdict()
  private var table = TextTable([
    .init("recording"), .init("placement"), .init("true steps", .right), .init("counted", .right),
    .init("error in %", .right), .init("verdict"),
  ])

  /// Evaluates all recordings in a folder. Returns the lines of the table, and the verdict.
  public static func run(
    folder: String
  ) throws(VectorFileError) -> (table: [String], verdict: Verdict) {
    let folder = try StepFolder(folder)
    var runner = StepRunner()
    for recording in folder.recordings {
      runner.judge(recording, counted: try StepSamples.steps(in: recording))
    }
    for name in folder.uncounted {
      runner.verdict.record(name) { () throws(Objection) in
        throw .skipped("the manifest does not contain its step count")
      }
    }
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

  /// Returns the signed difference from the truth in per cent.
  private static func error(_ count: Int, _ truth: Int) -> String {
    guard truth > 0 else { return "-" }
    let percent = 100 * Double(count - truth) / Double(truth)
    return (percent > 0 ? "+" : "") + NumberText.fixed(percent, decimals: 1)
  }
}
