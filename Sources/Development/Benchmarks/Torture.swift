internal import LinuxSystem

/// `bench torture`: recordings that are cut off at random moments, and a check of the surviving
/// samples.
public struct Torture: Sendable {
  /// The number of recordings to kill, and of power cuts.
  public var cuts: Int
  public var seed: UInt64
  /// Seconds of the newest samples that a kill may cost.
  public var window: Double

  public init(cuts: Int, seed: UInt64, window: Double) {
    self.cuts = cuts
    self.seed = seed
    self.window = window
  }

  /// Cuts and compares; the status is 0 if the promise was kept.
  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    var torture = Torture(cuts: 50, seed: .random(in: 0..<1_000_000), window: 0.25)
    var rest = arguments
    while let option = rest.popFirst() {
      guard let value = rest.popFirst().flatMap({ UInt64($0) }) else {
        return usage("'\(option)' needs a number")
      }
      switch option {
      case "--cuts" where (1...100_000).contains(value): torture.cuts = Int(value)
      case "--seed": torture.seed = value
      case "--window": torture.window = Double(value) / 1_000
      default: return usage("'\(option) \(value)' is not an option, or out of range")
      }
    }
    return torture.run()
  }

  private static func usage(_ problem: String) -> BenchCommand.Outcome {
    BenchCommand.Outcome(
      complaint: ["error: \(problem)", "       try 'bench --help'"], status: 2)
  }

  private func run() -> BenchCommand.Outcome {
    var outcome = BenchCommand.Outcome(output: ["seed \(seed)"])
    do {
      let kills = try KillCuts(cuts: cuts, seed: seed, window: window).run(
        program: ThisProcess.program)
      outcome.output += ["kill -9: " + kills.text]
      let power = try PowerCuts(cuts: cuts, seed: seed).run()
      outcome.output += ["power: " + power.text]
      outcome.complaint = (kills.broken + power.broken).map { "error: \($0)" }
      if !outcome.complaint.isEmpty { outcome.status = 1 }
    } catch {
      let problem = (error as? MeasurementError)?.problem ?? "\(error)"
      outcome.complaint.append("error: \(problem)")
      outcome.status = 1
    }
    return outcome
  }
}

/// The findings for cuts of one kind.
public struct CutReport: Sendable {
  /// The number of cuts.
  public var cuts = 0
  /// Sent samples.
  public var sent = 0
  /// Stored samples after the cuts.
  public var stored = 0
  /// Samples stored more than once.
  public var duplicates = 0
  /// Missing samples after the last stored one: the newest.
  public var newest = 0
  /// Missing samples before the last stored one, all counted in gaps.
  public var counted = 0
  /// Seconds from the first missing newest sample to the cut, one value for each cut.
  public var windows: [Double] = []
  /// Violations of the promise.
  public var broken: [String] = []

  /// The findings on one line.
  public var text: String {
    let windows = self.windows.sorted()
    func milliseconds(_ part: Double) -> Int {
      windows.isEmpty ? 0 : Int(windows[Int(Double(windows.count - 1) * part)] * 1_000)
    }
    return "\(cuts) cuts, \(sent) samples sent, \(stored) stored, \(counted) counted in gaps, "
      + "\(newest) of the newest missing (\(milliseconds(0.5)) ms, at most \(milliseconds(1)) ms), "
      + "duplicates \(duplicates)"
  }

  /// Adds the findings for other cuts.
  mutating func add(_ other: CutReport) {
    cuts += other.cuts
    sent += other.sent
    stored += other.stored
    duplicates += other.duplicates
    newest += other.newest
    counted += other.counted
    windows += other.windows
    broken += other.broken
  }
}
