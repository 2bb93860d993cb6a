internal import Recording
internal import Values

/// `bench [BENCHMARK...] [options]`, without its process.
public struct BenchCommand: Sendable {
  /// The usage text.
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

    Measures the named benchmarks, or all: the sides in turns, with the minimum, the median and the
    99th percentile. Build it optimised: swift run -c release bench

    benchmarks:
    \(Benchmark.all.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))

    store counts the bytes and syncs for storing a walk, compared with a row for each sample.

    truth compares stored times and positions with the true ones of a simulation.

    clean simulates streams without loss, at every rate and layout, for N hours (default: 10). It
    counts falsely reported losses, and measures the errors of times.

    envelope measures reading eight hours of two signals at every zoom: for the first time, and from
    the cache.

    field runs a gateway through days in the field in simulated time, and checks every recording
    against the logs of boards and radio.

    fleet sends chunks of thousands of gateways to several receivers with one PostgreSQL, and compares
    the acknowledged chunks with the database.

    live plays thousands of gateways that report their status over MQTT. It measures the time until a
    reader has it, and until a silent gateway is marked as stale.

    soak runs the gateway as a service for an hour with a fault every two minutes, and watches its
    status from outside.

    torture cuts off recordings, N times by kill -9 (default: 50) and N times by a power cut, and
    compares the stored samples with the sent ones. A kill may cost the newest MS milliseconds of
    samples (default: 250).

    upload sends a day of one board to 'footbridge receive' on this computer while another board is
    recorded, compared with Python's requests: N chunks (default: 8640), N times (default: 3), into a
    folder instead of a store, or over a link of 1 Mbit/s in a network namespace.

    options:
      --json       one JSON object instead of tables
      --repeats N  turns, each of which runs every side once (default: the benchmark's own)
      --count N    units of work per side and turn (default: the benchmark's own)
      --once SIDE  run this side once and print nothing, for a profiler that counts
      --receive PACE [BUS]
                   run the program that 'link' measures: store the packets of the socket on standard
                   input, or of the board on the bus; PACE is each, tick or adaptive
      --record STORE [RATE]
                   run the recorder that 'torture' cuts off and that runs beside 'upload': the same into
                   this store, at RATE samples a second (default: 1200)
      --export STORE FORMAT
                   run the export that 'export' measures: write the last session of a store to a file
                   beside it, and print the samples, nanoseconds of processor time and bytes of memory
      --help       show this
    """
  /// The text to print, and the exit status.
  public struct Outcome: Hashable, Sendable {
    /// Lines for the standard output.
    public var output: [String] = []
    /// Lines for the standard error.
    public var complaint: [String] = []
    /// 0 if it ran, 1 if a measured side failed, 2 if the call was invalid.
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

  /// Runs the command with these arguments.
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
  /// The outcome of a program inside the program, which ends with an exit status.
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
