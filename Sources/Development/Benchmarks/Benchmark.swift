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
  /// Turns, unless told.
  public let defaultRepeats: Int
  /// The ways to be compared, made again for each measurement.
  public let sides: @Sendable () -> [Side]

  /// Everything `bench` knows.
  public static let all: [Benchmark] = [
    .decode, .codec, .nmea, .ring, .link, .endurance, .export, .tagging,
  ]
}

/// Why a side's figures would be worth nothing.
public struct MeasurementError: Error {
  /// What went wrong.
  public let problem: String

  init(_ problem: String) {
    self.problem = problem
  }
}

/// One way of doing a benchmark's work.
public struct Side {
  /// Does something until it does not throw, at most so many times.
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

  /// How reports and the command line call it.
  public let name: String
  /// Samples that come out of one unit of work.
  public let samplesPerUnit: Int
  /// The sides it is compared with.
  public let baselines: [String]
  /// Why it cannot be measured on this machine, if it cannot.
  public let absence: String?
  private let work: (Int) throws(MeasurementError) -> Work

  /// The outcome of some units of work.
  public struct Work {
    /// Samples that came out.
    public var samples: Int
    /// Nanoseconds of processor time it took elsewhere; `nil` where the time of the call counts.
    public var nanoseconds: Double?
    /// Tries before that in which a packet was lost.
    public var failedTries = 0
    /// Bytes of the result; `nil` where they are not measured.
    public var bytes: Double?
  }

  /// A way that does its work with `work`, which returns how many samples came out.
  public init(
    _ name: String, samplesPerUnit: Int, baseline: String? = nil, work: @escaping (Int) -> Int
  ) {
    self.init(name, samplesPerUnit: samplesPerUnit, baselines: baseline.map { [$0] } ?? []) {
      Work(samples: work($0), nanoseconds: nil)
    }
  }

  /// A way that is paced by something else than itself, so that it says what it took.
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

  /// A way that lacks something here.
  public init(_ name: String, absentBecause absence: String) {
    self.name = name
    self.absence = absence
    samplesPerUnit = 0
    baselines = []
    work = { _ in Work(samples: 0, nanoseconds: nil) }
  }

  /// Does `units` of work; a side that skips some of it would be measured faster than it is.
  ///
  /// A function of its own, so that a profiler can be told to count in it alone.
  ///
  /// Returns the outcome, with the nanoseconds it took where it says so itself.
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
