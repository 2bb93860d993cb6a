internal import LinuxSystem

/// `bench torture`: interrupts recordings at random times, and checks which samples survived.
public struct Torture: Sendable {
  /// The number of kills; the number of power cuts is the same.
  public var cuts: Int
  public var seed: UInt64
  /// The maximum age in seconds of samples that may be lost when a recorder is killed.
  public var window: Double

  public init(cuts: Int, seed: UInt64, window: Double) {
    self.cuts = cuts
    self.seed = seed
    self.window = window
  }

  /// Performs all kills and power cuts, and checks the stores. The exit status is 0 if sample loss
  /// stayed within the permitted limits.
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
      default: return usage("'\(option) \(value)' is not an option, or is out of range")
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

/// The results of a series of kills or power cuts.
public struct CutReport: Sendable {
  public var cuts = 0
  /// The number of samples sent before the kills or power cuts.
  public var sent = 0
  /// The number of samples found in the stores after the kills or power cuts.
  public var stored = 0
  /// The number of extra copies of samples that were stored more than once.
  public var duplicates = 0
  /// The number of samples that are missing at the end, after the last stored sample.
  public var newest = 0
  /// The number of samples that the gaps report as lost.
  public var counted = 0
  /// For each kill or power cut, the age in seconds of the oldest sample that is missing at the
  /// end.
  public var windows: [Double] = []
  /// Descriptions of the violated guarantees.
  public var broken: [String] = []

  /// A one-line summary.
  public var text: String {
    let windows = self.windows.sorted()
    func milliseconds(_ part: Double) -> Int {
      windows.isEmpty ? 0 : Int(windows[Int(Double(windows.count - 1) * part)] * 1_000)
    }
    return "\(cuts) cuts, \(sent) samples sent, \(stored) stored, \(counted) counted in gaps, "
      + "\(newest) of the newest samples missing (\(milliseconds(0.5)) ms, at most \(milliseconds(1)) ms), "
      + "duplicates \(duplicates)"
  }

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
