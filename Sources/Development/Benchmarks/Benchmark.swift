/// Compares the speed of several implementations of the same task by measuring them alternately.
public struct Benchmark: Sendable {
  /// The name on the command line.
  public let name: String
  /// One line for help and reports.
  public let summary: String
  /// The unit of work, as a singular noun, such as `packet`.
  public let unit: String
  /// The default number of work units per side and repetition.
  public let defaultCount: Int
  public let defaultRepeats: Int
  /// Creates the implementations to compare. Called for each measurement.
  public let sides: @Sendable () -> [Side]

  /// The benchmarks that `bench` runs if none is named.
  public static let all: [Benchmark] = [
    .decode, .codec, .ring, .link, .endurance, .export, .tagging,
  ]
}

/// The reason why a side could not be measured.
public struct MeasurementError: Error {
  public let problem: String

  init(_ problem: String) {
    self.problem = problem
  }
}

/// One of the implementations that a benchmark compares.
public struct Side {
  /// Runs the measured work until it succeeds, making at most `attempts` attempts.
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
  public let samplesPerUnit: Int
  /// The names of the sides that this side is compared with.
  public let baselines: [String]
  /// The reason why the side cannot be measured on this machine; `nil` if it can be.
  public let absence: String?
  private let work: (Int) throws(MeasurementError) -> Work

  /// The result of running some units of work.
  public struct Work {
    public var samples: Int
    /// Nanoseconds that the side measured itself, such as another process's processor time; `nil`
    /// to use the duration of the call.
    public var nanoseconds: Double?
    /// The number of earlier attempts that failed, usually because a packet was lost.
    public var failedTries = 0
    /// The result's size in bytes; `nil` if the side does not measure it.
    public var bytes: Double?
  }

  /// Creates a side that runs `work`, which returns the number of samples produced.
  public init(
    _ name: String, samplesPerUnit: Int, baseline: String? = nil, work: @escaping (Int) -> Int
  ) {
    self.init(name, samplesPerUnit: samplesPerUnit, baselines: baseline.map { [$0] } ?? []) {
      Work(samples: work($0), nanoseconds: nil)
    }
  }

  /// Creates a side that can measure its own cost, such as another process's processor time.
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

  public init(_ name: String, absentBecause absence: String) {
    self.name = name
    self.absence = absence
    samplesPerUnit = 0
    baselines = []
    work = { _ in Work(samples: 0, nanoseconds: nil) }
  }

  /// Runs `units` units of work. Throws if the side skipped any of them, because the measured time
  /// would be too short.
  ///
  /// The result includes the nanoseconds only if the side measures them itself. Never inlined, so
  /// that a profiler can be limited to this function.
  @inline(never)
  @discardableResult
  public func run(_ units: Int) throws(MeasurementError) -> Work {
    let done = try work(units)
    guard done.samples == units * samplesPerUnit else {
      throw MeasurementError(
        "\(name) produced \(done.samples) samples in \(units) units, not \(units * samplesPerUnit)")
    }
    return done
  }
}
