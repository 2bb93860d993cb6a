/// One question about speed: several ways of doing the same work, compared in turns.
public struct Benchmark: Sendable {
  /// The name on the command line.
  public let name: String
  /// One line for the help and reports.
  public let summary: String
  /// The unit of work, in the singular.
  public let unit: String
  /// Units of work per side and turn, by default.
  public let defaultCount: Int
  /// Turns, by default.
  public let defaultRepeats: Int
  /// The ways to compare, created again for each measurement.
  public let sides: @Sendable () -> [Side]

  /// All benchmarks of `bench`.
  public static let all: [Benchmark] = [
    .decode, .codec, .ring, .link, .endurance, .export, .tagging,
  ]
}

/// The reason a side cannot be measured.
public struct MeasurementError: Error {
  public let problem: String

  init(_ problem: String) {
    self.problem = problem
  }
}

/// One way of doing a benchmark's work.
public struct Side {
  /// Retries some work until it does not throw, at most this many times.
  static func tried(
    atMost attempts: Int, _ name: String, _ work: () throws -> Work
  ) throws(MeasurementError) -> Work {
    var failedTries = 0
    while true {
      do {
        var done = try work()
        done.failedTries = failedTries
        return done
      } catch {
        failedTries += 1
        guard failedTries == attempts else { continue }
        throw error as? MeasurementError ?? MeasurementError("\(name): \(error)")
      }
    }
  }

  /// The side's name in reports and on the command line.
  public let name: String
  /// Samples that one unit of work produces.
  public let samplesPerUnit: Int
  /// The sides it is compared with.
  public let baselines: [String]
  /// The reason this machine cannot measure the side; `nil` if it can.
  public let absence: String?
  private let work: (Int) throws(MeasurementError) -> Work

  /// The outcome of some units of work.
  public struct Work {
    /// The number of samples produced.
    public var samples: Int
    /// Nanoseconds of processor time in other processes; `nil` if the time of the call counts.
    public var nanoseconds: Double?
    /// Earlier tries in which a packet was lost.
    public var failedTries = 0
    /// Bytes of the result; `nil` if they are not measured.
    public var bytes: Double?
  }

  /// A side that does its work with `work`, which returns the number of samples.
  public init(
    _ name: String, samplesPerUnit: Int, baseline: String? = nil, work: @escaping (Int) -> Int
  ) {
    self.init(name, samplesPerUnit: samplesPerUnit, baselines: baseline.map { [$0] } ?? []) {
      Work(samples: work($0), nanoseconds: nil)
    }
  }

  /// A side that another process paces, so that it returns its own cost.
  public init(
    _ name: String, samplesPerUnit: Int, baselines: [String] = [],
    measuring work: @escaping (Int) throws(MeasurementError) -> Work
  ) {
    self.name = name
    self.samplesPerUnit = samplesPerUnit
    self.baselines = baselines
    self.work = work
    absence = nil
  }

  /// A side that this machine cannot measure.
  public init(_ name: String, absentBecause absence: String) {
    self.name = name
    self.absence = absence
    samplesPerUnit = 0
    baselines = []
    work = { _ in Work(samples: 0, nanoseconds: nil) }
  }

  /// Does `units` of work, and throws if the side skipped some: it would look too fast.
  ///
  /// The function is never inlined, so that a profiler can be limited to it.
  ///
  /// Returns the outcome, with the nanoseconds if the side measures them itself.
  @inline(never)
  @discardableResult
  public func run(_ units: Int) throws(MeasurementError) -> Work {
    let done = try work(units)
    guard done.samples == units * samplesPerUnit else {
      throw MeasurementError(
        "\(name) made \(done.samples) samples of \(units) units, not \(units * samplesPerUnit)")
    }
    return done
  }
}
