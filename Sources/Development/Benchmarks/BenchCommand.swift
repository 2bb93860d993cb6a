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

    Measures the benchmarks that are named, or all: each side in turns, with the minimum, the
    median and the 99th percentile. Build it optimised: swift run -c release bench

    benchmarks:
    \(Benchmark.all.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))

    store counts what storing a walk costs in bytes and syncs, beside a row for each sample.

    truth compares stored times and positions with those of a simulation that knows.

    clean simulates streams that lose nothing, at every rate and layout, for N hours (default: 10), and
    counts the losses that are made up, and how far times are off.

    envelope measures a look at eight hours of two signals at every zoom: the first one, and those from
    the cache.

    field lets a gateway live through days in the field in simulated time, and judges every
    recording by what boards and radio saw.

    fleet sends chunks of thousands of gateways to several receivers with one PostgreSQL, and compares
    what they acknowledged with what the database has.

    live plays thousands of gateways that tell their state over MQTT, and measures how long it takes
    until a reader has it, and until one that falls silent is marked.

    soak runs the gateway as a service for an hour with a fault every two minutes, and looks at its
    status from outside.

    torture cuts recordings off, N times by kill -9 (default: 50) and N times by a power cut, and
    compares what is stored with what was sent. Of the newest samples a kill may cost MS
    milliseconds (default: 250).

    upload sends a day of one board to 'footbridge receive' on this computer, while another board is
    recorded, beside the same by Python's requests; N chunks (default: 8640), N times (default: 3), into a
    folder in place of a store, or over a link of 1 Mbit/s in a network namespace.

    options:
      --json       one JSON object instead of tables
      --repeats N  turns, each of which runs every side once (default: the benchmark's own)
      --count N    units of work a side does per turn (default: the benchmark's own)
      --once SIDE  run this side once and print nothing, for a profiler that counts
      --receive PACE [BUS]
                   be what 'link' measures: store the packets of the socket that is the standard
                   input, or of the board on the bus; the pace is each, tick or adaptive
      --record STORE [RATE]
                   be what 'torture' cuts off and what records beside 'upload': the same into this
                   store, RATE samples a second (default: 1200)
      --export STORE FORMAT
                   be what 'export' measures: write the last session of a store into a file beside
                   it, and print the samples, nanoseconds of processor time and bytes of memory
      --help       show this
    """
  /// The text to print, and the exit status.
  public struct Outcome: Hashable, Sendable {
    /// Lines for the standard output.
    public var output: [String] = []
    /// Lines for the standard error.
    public var complaint: [String] = []
    /// 0 if it ran, 1 if a measured side failed at its work, 2 if the call was wrong.
    public var status: Int32 = 0

    /// The outcome with these lines.
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
          throw UsageError(problem: "there is no benchmark '\(word)'")
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
      throw UsageError(problem: "'\(benchmark.name)' has no side '\(name)'; it has \(names)")
    }
    if let absence = side.absence {
      throw UsageError(problem: "'\(name)' cannot be measured here: \(absence)")
    }
    try side.run(count ?? benchmark.defaultCount)
    return Outcome()
  }
}

extension BenchCommand.Outcome {
  /// The outcome of a program within the program, which ends with an exit status.
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
