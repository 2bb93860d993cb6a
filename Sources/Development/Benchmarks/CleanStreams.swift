internal import Recording
internal import Terminal
internal import Values

/// `bench clean`: checks that no loss is reported for streams without loss, at every rate and in
/// every layout, over realistic links. The reading thread is sometimes delayed. No packet is lost,
/// so every reported loss is a false alarm.
///
/// The board's oscillator is up to 2 % off and drifts. Connection events fail, and bursts and
/// stalls of up to three seconds delay packets. Stored times are compared with the true times plus
/// the constant delay of the session's samples, which no gateway can measure.
public struct CleanStreams: Sendable {
  /// The results of all sessions at one sample rate.
  public struct Row: Hashable, Sendable {
    /// Samples per second.
    public var rate: Double
    public var hours = 0.0
    /// The number of sessions in which a loss was reported.
    public var wrong = 0
    /// The number of samples reported as lost.
    public var lost: UInt64 = 0
    /// The conditions of each session in which a loss was reported.
    public var cases: [String] = []
    /// Timing errors of the stored samples, in milliseconds.
    public var errors = ErrorCounts()
  }

  /// A histogram of timing errors with bins of 10 µs.
  public struct ErrorCounts: Hashable, Sendable {
    private static let steps = 100_000

    private var counts = [UInt64](repeating: 0, count: steps)
    private var total: UInt64 = 0

    public init() {}

    /// Counts an error. Errors of a second or more are counted in the last bin.
    public mutating func add(milliseconds: Double) {
      counts[min(Self.steps - 1, Int(milliseconds.magnitude * 100))] += 1
      total += 1
    }

    mutating func add(_ others: ErrorCounts) {
      for step in counts.indices { counts[step] += others.counts[step] }
      total += others.total
    }

    /// Returns the `part` quantile of the errors, in milliseconds.
    public func within(_ part: Double) -> Double {
      var rest = UInt64((Double(total) * part).rounded(.up))
      for step in counts.indices {
        guard counts[step] < rest else { return Double(step + 1) / 100 }
        rest -= counts[step]
      }
      return .nan
    }
  }

  /// The sample rates supported by the boards' sensors, except some intermediate rates.
  private static let rates = [
    1.5625, 2, 3.125, 6.25, 10, 12.5, 13.5, 25, 50, 100, 200, 400, 800, 1_600, 3_200,
  ]
  /// The highest rate in hertz at which a board may send one sample per packet.
  private static let highestSingle = 400.0
  /// Seconds at the start of a session during which times are not compared, because the board's
  /// rate is still being estimated.
  private static let learning = 30.0

  public var seed: UInt64
  /// Hours of simulated time.
  public var hours: Double
  /// The length of a session in seconds.
  public var seconds = 600.0

  public init(seed: UInt64, hours: Double) {
    self.seed = seed
    self.hours = hours
  }

  /// Runs the simulation and returns a table.
  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    var clean = CleanStreams(seed: .random(in: 0..<1_000_000), hours: 10)
    var rest = arguments
    while let option = rest.popFirst() {
      let value = rest.popFirst()
      switch option {
      case "--seed": if let seed = value.flatMap({ UInt64($0) }) { clean.seed = seed; continue }
      case "--hours":
        if let hours = value.flatMap({ Double($0) }), hours > 0, hours <= 1e6 {
          clean.hours = hours
          continue
        }
      default: break
      }
      return BenchCommand.Outcome(
        complaint: [
          "error: '\(option)' is not an option of clean, or its number is missing",
          "       try 'bench --help'",
        ], status: 2)
    }
    let rows = clean.rows()
    var table = TextTable([
      .init("rate"), .init("hours", .right), .init("with a loss", .right),
      .init("samples", .right), .init("median", .right), .init("99 %", .right),
      .init("99.9 %", .right), .init(""),
    ])
    var all = Row(rate: 0)
    for row in rows {
      table.append(["\(row.rate) Hz"] + Self.cells(row))
      all.hours += row.hours
      all.wrong += row.wrong
      all.lost += row.lost
      all.errors.add(row.errors)
    }
    table.append(["all"] + Self.cells(all))
    return BenchCommand.Outcome(
      output: ["seed \(clean.seed), sessions of ten minutes", ""] + table.lines
        + rows.flatMap(\.cases))
  }

  private static func cells(_ row: Row) -> [String] {
    [
      NumberText.fixed(row.hours, decimals: 1), "\(row.wrong)", "\(row.lost)",
      NumberText.fixed(row.errors.within(0.5), decimals: 2),
      NumberText.fixed(row.errors.within(0.99), decimals: 2),
      NumberText.fixed(row.errors.within(0.999), decimals: 2), "ms",
    ]
  }

  /// Runs the simulation and returns the results by rate.
  public func rows() -> [Row] {
    var random = SplitMix64(seed: seed)
    var rows = Self.rates.map { Row(rate: $0) }
    var simulated = 0.0
    while simulated < hours * 3_600 {
      for place in rows.indices {
        observe(stream(rate: rows[place].rate, using: &random), &rows[place], using: &random)
        simulated += seconds
      }
    }
    return rows
  }

  private func observe(
    _ stream: KnownTimes, _ row: inout Row, using random: inout SplitMix64
  ) {
    let samples = stream.record(seconds: seconds, using: &random)
    row.hours += seconds / 3_600
    if samples.lost > 0 {
      row.wrong += 1
      row.lost += samples.lost
      row.cases.append(
        "\(samples.lost) samples at \(row.rate) Hz, \(stream.layout), interval \(stream.interval) s, "
          + "\(stream.failures) of the connection events fail, drift \(stream.drift), a burst every "
          + "\(1 / stream.burstRate) s, a stall every \(1 / stream.stallRate) s")
    }
    let late = zip(samples.truths, samples.times)
      .filter { $0.0 >= stream.start + Self.learning }
      .map { truth, time in (Double(time.nanoseconds) / 1e9 - truth) * 1e3 }
    let usual = late.sorted()[late.count / 2]
    for value in late { row.errors.add(milliseconds: value - usual) }
  }

  private func stream(rate: Double, using random: inout SplitMix64) -> KnownTimes {
    var stream = KnownTimes()
    stream.rate = rate
    stream.layout = KnownTimes.Layout.allCases.randomElement(using: &random) ?? .single
    stream.samplesPerPacket =
      switch stream.layout {
      case .packed: 3
      case .countedPair: 2
      case .single, .timed, .counted: 1
      }
    // No link can carry one packet per sample at a higher rate.
    if rate > Self.highestSingle { (stream.layout, stream.samplesPerPacket) = (.packed, 3) }
    stream.drift = .random(in: -0.02...0.02, using: &random)
    stream.warming = .random(in: -6e-4...6e-4, using: &random)
    stream.loss = 0
    stream.interval = [0.0075, 0.01125, 0.015, 0.03].randomElement(using: &random) ?? 0.0075
    stream.failures = .random(in: 0...0.3, using: &random)
    stream.burstRate = 1 / .random(in: 10...120, using: &random)
    stream.stallRate = 1 / .random(in: 10...120, using: &random)
    var reader = HeldReader()
    if rate / Double(stream.samplesPerPacket) >= 200 { reader.tick = 0.019 }
    stream.reader = reader
    return stream
  }
}
