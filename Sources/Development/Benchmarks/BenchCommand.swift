internal import Recording
internal import Values

/// Runs `bench [BENCHMARK...] [options]` without starting a separate process.
public struct BenchCommand: Sendable {
  public static let usage = """
    usage: bench [BENCHMARK...] [--json] [--repeats N] [--count N]
           bench BENCHMARK --once SIDE [--count N]
           bench store
           bench truth [--seed N]
           bench clean [--hours N] [--seed N]
           bench envelope
           bench field [--minutes N] [--seed N] [--help]
           bench fleet [--seconds N] [--gateways N] [--receivers N] [--kill] [--json] [--help]
           bench live [--broker mosquitto|nats] [--gateways N] [--seconds N] [--json] [--help]
           bench soak [--minutes N] [--every SECONDS] [--help]
           bench torture [--cuts N] [--seed N] [--window MS]
           bench upload [--chunks N] [--turns N] [--folder] [--throttled]
           bench --receive PACE [BUS]
           bench --record STORE [RATE]
           bench --export STORE FORMAT

    Measures the named benchmarks, or all of them. The sides take turns, and the result is the
    minimum, the median and the 99th percentile. Build with optimisation: swift run -c release bench

    benchmarks:
    \(Benchmark.all.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))

    store counts the bytes and syncs for storing a walk, compared with one row per sample.

    truth compares stored times and positions with the true values from a simulation.

    clean simulates streams without loss, at every rate and layout, for N hours (default: 10). It
    counts falsely reported losses, and measures timing errors.

    envelope measures reading eight hours of two signals at every zoom level, both for the first time
    and from the cache.

    field runs a gateway through days in the field in simulated time, and checks every recording
    against the logs of boards and radio.

    fleet sends chunks from thousands of gateways to several receivers that share a PostgreSQL database,
    and compares the acknowledged chunks with the database.

    live simulates thousands of gateways that report their status over MQTT. It measures the time until
    a reader receives the status, and until a silent gateway is marked as stale.

    soak runs the gateway as a service for an hour with a fault every two minutes, and watches its
    status from outside.

    torture interrupts recordings, N times by kill -9 (default: 50) and N times by a power cut, and
    compares the stored samples with the sent ones. A kill may lose the newest MS milliseconds of
    samples (default: 250).

    upload sends one day of data from one board to 'footbridge receive' on this computer while another
    board is recorded. It compares the cost with Python's requests: N chunks (default: 8640), N times
    (default: 3), into a folder instead of a store, or over a link of 1 Mbit/s in a network namespace.

    options:
      --json       print one JSON object instead of tables
      --repeats N  run every side once in each of N rounds (default: depends on the benchmark)
      --count N    do N units of work per side and round (default: depends on the benchmark)
      --once SIDE  run this side once and print nothing, for use with a profiler
      --receive PACE [BUS]
                   run the program that 'link' measures: store packets from the socket on standard
                   input, or from the board on the bus; PACE is each, tick or adaptive
      --record STORE [RATE]
                   run the recorder that 'torture' interrupts and that runs during 'upload': the same
                   into this store, at RATE samples per second (default: 1200)
      --export STORE FORMAT
                   run the export that 'export' measures: write the last session of a store to a file
                   beside it, and print the samples, nanoseconds of processor time and bytes of memory
      --help       show this help
    """
  public struct Outcome: Hashable, Sendable {
    /// Lines for standard output.
    public var output: [String] = []
    /// Lines for standard error.
    public var complaint: [String] = []
    /// 0 after a complete run, 1 if a side failed, 2 for invalid arguments.
    public var status: Int32 = 0

    public init(output: [String] = [], complaint: [String] = [], status: Int32 = 0) {
      self.output = output
      self.complaint = complaint
      self.status = status
    }
  }

  private var benchmarks: [Benchmark] = []
  private var isJSON = false
  private var repeats: Int?
  private var count: Int?
  private var onlySide: String?

  public static func run(_ arguments: [String]) -> Outcome {
    if arguments.contains("--help") || arguments.contains("-h") {
      return Outcome(output: [usage])
    }
    do {
      var command = BenchCommand()
      try command.read(arguments[...])
      return try command.run()
    } catch let error as UsageError {
      return Outcome(
        complaint: ["error: \(error.problem)", "       try 'bench --help'"], status: 2)
    } catch {
      return Outcome(error)
    }
  }

  private struct UsageError: Error {
    let problem: String
  }

  private mutating func read(_ arguments: ArraySlice<String>) throws(UsageError) {
    var rest = arguments
    while let word = rest.popFirst() {
      switch word {
      case "--json": isJSON = true
      case "--repeats": repeats = try number(for: word, from: &rest)
      case "--count": count = try number(for: word, from: &rest)
      case "--once": onlySide = try value(for: word, from: &rest)
      case _ where word.hasPrefix("-"): throw UsageError(problem: "unknown option '\(word)'")
      default:
        guard let benchmark = Benchmark.all.first(where: { $0.name == word }) else {
          throw UsageError(problem: "unknown benchmark '\(word)'")
        }
        benchmarks.append(benchmark)
      }
    }
  }

  private func value(
    for option: String, from rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst() else {
      throw UsageError(problem: "'\(option)' needs a value")
    }
    return value
  }

  private func number(
    for option: String, from rest: inout ArraySlice<String>
  ) throws(UsageError) -> Int {
    let text = try value(for: option, from: &rest)
    guard let number = Int(text), (1...1_000_000_000).contains(number) else {
      throw UsageError(problem: "'\(option)' cannot be '\(text)': give a number from 1 to 10⁹")
    }
    return number
  }

  private func run() throws -> Outcome {
    if let onlySide { return try runOnce(onlySide) }
    var report = BenchReport(machine: .current())
    for benchmark in benchmarks.isEmpty ? Benchmark.all : benchmarks {
      let effort = Measurement.Effort(
        repeats: repeats ?? benchmark.defaultRepeats, count: count ?? benchmark.defaultCount)
      report.measurements.append((benchmark, try Measurement(of: benchmark, effort)))
    }
    return Outcome(output: isJSON ? [report.json.text] : report.lines)
  }

  private func runOnce(_ name: String) throws -> Outcome {
    guard let benchmark = benchmarks.first, benchmarks.count == 1 else {
      throw UsageError(problem: "'--once' needs one benchmark")
    }
    let sides = benchmark.sides()
    guard let side = sides.first(where: { $0.name == name }) else {
      let names = sides.map(\.name).joined(separator: ", ")
      throw UsageError(problem: "'\(benchmark.name)' has no side '\(name)'; choose from \(names)")
    }
    if let absence = side.absence {
      throw UsageError(problem: "'\(name)' cannot be measured here: \(absence)")
    }
    try side.run(count ?? benchmark.defaultCount)
    return Outcome()
  }
}

extension BenchCommand.Outcome {
  /// Runs a helper program's code in this process and converts the exit status or error into an
  /// outcome.
  public init(of body: @Sendable () async throws -> Int32) async {
    do {
      self.init(status: try await body())
    } catch {
      self.init(error)
    }
  }

  init(_ failure: any Error) {
    let problem = (failure as? MeasurementError)?.problem ?? "\(failure)"
    self.init(complaint: ["error: \(problem)"], status: 1)
  }
}
