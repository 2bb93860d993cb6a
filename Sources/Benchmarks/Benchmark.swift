/// One question about speed: several ways of doing the same work, measured beside each other.
public struct Benchmark: Sendable {
  /// What is typed after `bench`.
  public let name: String
  /// One line for the help.
  public let summary: String
  /// What the work is counted in, in the singular.
  public let unit: String
  /// Units a side does between two looks at the clock, unless told.
  public let defaultCount: Int
  /// The ways to be compared, made anew for each measurement.
  public let sides: @Sendable () -> [Side]

  /// Everything `bench` knows.
  public static let all: [Benchmark] = [.decode]
}

/// One way of doing a benchmark's work.
public struct Side {
  /// How reports and the command line call it.
  public let name: String
  /// Samples that come out of one unit of work.
  public let samplesPerUnit: Int
  /// The side it is compared with, if any.
  public let baseline: String?
  /// Does so many units of work and returns how many samples came out.
  private let work: (Int) -> Int

  /// A way that does its work with `work`.
  public init(
    _ name: String, samplesPerUnit: Int, baseline: String? = nil, work: @escaping (Int) -> Int
  ) {
    self.name = name
    self.samplesPerUnit = samplesPerUnit
    self.baseline = baseline
    self.work = work
  }

  /// Does `units` of work; a side that skips some of it would be measured faster than it is.
  ///
  /// A function of its own, so that a profiler can be told to count in it alone.
  @inline(never)
  public func run(_ units: Int) {
    let samples = work(units)
    precondition(
      samples == units * samplesPerUnit,
      "\(name) made \(samples) samples of \(units) units, not \(units * samplesPerUnit)")
  }
}
