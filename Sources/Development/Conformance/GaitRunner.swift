/// Evaluates the walking detector on a folder of recordings.
///
/// Each person contributes two cases. At least 98 % of the time spent walking and jogging (D01 to
/// D04) must be detected. At most 1 % of the time spent sitting, lying, bending and driving (D07 to
/// D17) may be detected as walking. A laboratory bout is a case if it is long enough to start a
/// recording, and not so slow that published detectors also fail. The detector must find the bout,
/// and the walk must include its first contact.
///
/// Stairs, stumbling, jumps and falls appear only in the table: they include some walking, but its
/// times were not recorded.
public struct GaitRunner {
  static let walking: Set = ["D01", "D02", "D03", "D04"]
  static let other = Set((7...17).map { $0 < 10 ? "D0\($0)" : "D\($0)" })
  /// The minimum share of walking time that must be detected, in per cent.
  private static let leastFound = 98.0
  private static let mostFalse = 1.0
  /// The minimum number of seconds between a bout's first and last contact. Shorter bouts are not
  /// evaluated.
  private static let leastSeconds = 8.0
  /// The minimum speed of a bout in metres per second. Published detectors perform worst below this
  /// speed.
  private static let leastSpeed = 0.5
  /// The maximum number of seconds by which the detected start of a walk may precede the first
  /// contact.
  private static let mostEarly = 3.0

  static func isJudged(_ code: String) -> Bool { walking.contains(code) || other.contains(code) }

  /// The format's name on the command line.
  public static let name = "gait"

  private var verdict = Verdict()
  private var figures = GaitFigures()

  /// Evaluates all recordings in a folder. Returns the tables' lines, and the verdict.
  public static func run(
    folder: String
  ) throws(VectorFileError) -> (table: [String], verdict: Verdict) {
    let folder = try GaitFolder(folder)
    var runner = GaitRunner()
    for path in folder.people { runner.judge(try GaitFolder.person(path)) }
    for path in folder.trials { runner.judge(try GaitFolder.trial(path)) }
    return (runner.figures.lines, runner.verdict)
  }

  private mutating func trace(_ magnitudes: [Double], rate: Double) -> GaitTrace {
    let begun = ContinuousClock.now
    let trace = GaitTrace(magnitudes, rate: rate)
    figures.add(begun.duration(to: .now), for: magnitudes.count)
    return trace
  }

  private mutating func judge(_ person: GaitFolder.Person) {
    var shares: [String: GaitFigures.Share] = [:]
    for activity in person.activities {
      let trace = trace(activity.magnitudes, rate: person.rate)
      let share = GaitFigures.Share(
        trace, of: activity.magnitudes, rate: person.rate,
        withoutRests: Self.walking.contains(activity.code))
      shares[activity.code] = shares[activity.code].map { $0 + share } ?? share
    }
    figures.add(shares, of: person.name)
    let found = GaitFigures.sum(shares, of: Self.walking)
    verdict.record("\(person.name) D01-D04") { () throws(Objection) in
      guard found.seconds > 0 else { throw .skipped("it has no recording") }
      guard found.percent >= Self.leastFound else {
        throw .failed(
          "found for \(GaitFigures.fixed(found.percent)) % of the time, expected at least \(Self.leastFound) %"
        )
      }
    }
    let wrong = GaitFigures.sum(shares, of: Self.other)
    verdict.record("\(person.name) D07-D17") { () throws(Objection) in
      guard wrong.seconds > 0 else { throw .skipped("it has no recording") }
      guard wrong.percent <= Self.mostFalse else {
        throw .failed(
          "detected as walking for \(GaitFigures.fixed(wrong.percent)) %, expected at most \(Self.mostFalse) %"
        )
      }
    }
    let rest = shares.keys.filter { !Self.isJudged($0) }.sorted()
    guard !rest.isEmpty else { return }
    verdict.record("\(person.name) \(rest.joined(separator: " "))") { () throws(Objection) in
      throw .skipped("partly walking, so it is not judged")
    }
  }

  private mutating func judge(_ trial: GaitFolder.Trial) {
    let trace = trace(trial.magnitudes, rate: trial.rate)
    for bout in trial.bouts {
      let isJudged = bout.seconds >= Self.leastSeconds && (bout.speed ?? 1) >= Self.leastSpeed
      measure(bout, of: trial, in: trace)
      verdict.record("\(trial.name) at \(GaitFigures.fixed(bout.start)) s") {
        () throws(Objection) in
        guard isJudged else { throw .skipped(Self.note(on: bout, in: trace)) }
        try Self.check(bout, of: trial, in: trace)
      }
    }
  }

  private static func note(on bout: GaitFolder.Bout, in trace: GaitTrace) -> String {
    let speed = bout.speed.map { ", \(GaitFigures.fixed($0)) m/s" } ?? ""
    let found = trace.walk(in: bout).map { "found from \(GaitFigures.fixed($0.first)) s" }
    return "\(GaitFigures.fixed(bout.seconds)) s\(speed): not judged, \(found ?? "not found")"
  }

  private mutating func measure(
    _ bout: GaitFolder.Bout, of trial: GaitFolder.Trial, in trace: GaitTrace
  ) {
    guard let walk = trace.walk(in: bout), Self.isFirst(bout, of: trial, in: walk) else { return }
    figures.early.append(bout.start - walk.first)
    let beginning = trace.beginnings.first { $0.dated >= walk.first && $0.dated <= walk.last }
    if let beginning { figures.latencies.append(beginning.decided - bout.start) }
  }

  /// Returns whether a walk starts in this bout rather than in an earlier one.
  private static func isFirst(
    _ bout: GaitFolder.Bout, of trial: GaitFolder.Trial, in walk: GaitTrace.Walk
  ) -> Bool {
    !trial.bouts.contains { $0.start < bout.start && $0.end > walk.first }
  }

  private static func check(
    _ bout: GaitFolder.Bout, of trial: GaitFolder.Trial, in trace: GaitTrace
  ) throws(Objection) {
    guard let walk = trace.walk(in: bout) else { throw .failed("not found") }
    let early = bout.start - walk.first
    guard early >= 0 else {
      throw .failed("begins \(GaitFigures.fixed(-early)) s after the first contact")
    }
    guard early <= mostEarly || !isFirst(bout, of: trial, in: walk) else {
      throw .failed("begins \(GaitFigures.fixed(early)) s before the first contact")
    }
  }
}
