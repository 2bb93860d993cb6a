internal import Glibc
internal import Recording
internal import Simulation
internal import Terminal
internal import Values

/// `bench truth`: measures the errors of stored times and positions by comparing them with the true
/// values from the simulation.
///
/// One board is half a percent fast, the other half a percent slow. Packets arrive in bursts, up to
/// 60 ms late, and one in a hundred is lost. The wearer walks. The receiver's sentences arrive 100
/// to 350 ms late, and the receiver sometimes loses its fix.
public struct Truth: Sendable {
  /// Statistics of the absolute errors of one quantity.
  public struct Figures: Hashable, Sendable {
    public var median: Double
    public var percentile95: Double
    public var maximum: Double

    init(_ errors: [Double]) {
      let sizes = errors.map(\.magnitude).sorted()
      func value(_ part: Double) -> Double {
        sizes.isEmpty ? .nan : sizes[Int((Double(sizes.count - 1) * part).rounded())]
      }
      (median, percentile95, maximum) = (value(0.5), value(0.95), value(1))
    }
  }

  /// One line of the comparison.
  public struct Row: Hashable, Sendable {
    public var name: String
    /// The unit: milliseconds or metres.
    public var unit: String
    public var figures: Figures
  }

  /// Seconds at the beginning that are not evaluated, because the boards' rates are still being
  /// estimated.
  private static let learning = 30.0
  /// The UTC time at which the computer booted, and the relative error of its boot clock, which
  /// runs slow.
  private static let epoch = 1_780_000_000.0
  private static let bootDrift = 10e-6

  public var seed: UInt64
  /// The simulated time in minutes.
  public var minutes: Double

  public init(seed: UInt64, minutes: Double = 10) {
    self.seed = seed
    self.minutes = minutes
  }

  /// Runs the simulation and returns a table.
  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    var truth = Truth(seed: .random(in: 0..<1_000_000))
    var rest = arguments
    while let option = rest.popFirst() {
      guard option == "--seed", let value = rest.popFirst().flatMap({ UInt64($0) }) else {
        return BenchCommand.Outcome(
          complaint: [
            "error: 'bench truth' has no option '\(option)', or the option's number is missing",
            "       try 'bench --help'",
          ], status: 2)
      }
      truth.seed = value
    }
    var table = TextTable([
      .init("error of"), .init("median", .right), .init("95 %", .right), .init("max", .right),
      .init(""),
    ])
    for row in truth.rows() {
      let values = [row.figures.median, row.figures.percentile95, row.figures.maximum]
      table.append([row.name] + values.map { NumberText.fixed($0, decimals: 3) } + [row.unit])
    }
    return BenchCommand.Outcome(
      output: [
        "seed \(truth.seed), \(Int(truth.minutes)) minutes, the first 30 s not counted",
        "",
      ] + table.lines)
  }

  /// Runs the simulation and returns the results.
  public func rows() -> [Row] {
    var random = SplitMix64(seed: seed)
    var (fast, slow) = (KnownTimes(), KnownTimes())
    fast.drift = 0.005
    slow.drift = -0.005
    let one = fast.record(seconds: minutes * 60, using: &random)
    let other = slow.record(seconds: minutes * 60, using: &random)
    var rows = [
      Row(name: "time, board 0.5 % fast", unit: "ms", figures: Figures(errors(one, fast))),
      Row(name: "time, board 0.5 % slow", unit: "ms", figures: Figures(errors(other, slow))),
      Row(name: "time, between the two boards", unit: "ms", figures: Figures(between(one, other))),
    ]
    let end = fast.start + minutes * 60
    for (name, receiver) in [
      ("UTC, fixes only in the second half", (fast.start + minutes * 30, end)),
      ("UTC, fixes only in a later session", (end + 300, end + 2_100)),
    ] {
      let fixes = fixes(from: receiver.0, to: receiver.1, noise: 0, using: &random)
      let clock = clock(of: fixes)
      rows.append(
        Row(name: name, unit: "ms", figures: Figures(datingErrors(one, fast, clock))))
    }
    for noise in [0.0, 1.0] {
      let fixes = fixes(from: fast.start - 5, to: end, noise: noise, using: &random)
      let name = noise == 0 ? "receiver exact" : "receiver off by 1 m"
      rows += positionRows(one, fast, fixes, name)
    }
    return rows
  }

  // MARK: Time

  private func counts(_ truth: Double, _ known: KnownTimes) -> Bool {
    truth >= known.start + Self.learning
  }

  /// Returns the errors of stored times in milliseconds, positive if late. The minimum delay, which
  /// all packets share, is subtracted.
  private func errors(_ samples: KnownTimes.Samples, _ known: KnownTimes) -> [Double] {
    zip(samples.truths, samples.times).filter { counts($0.0, known) }.map { truth, time in
      (Double(time.nanoseconds) / 1e9 - truth - known.leastDelay) * 1e3
    }
  }

  /// Returns the differences in milliseconds between two boards' stored times of the same instant.
  /// A difference is a sample's error minus the error of the other board's preceding sample.
  private func between(
    _ one: KnownTimes.Samples, _ other: KnownTimes.Samples
  ) -> [Double] {
    var place = 0
    var errors: [Double] = []
    func error(_ samples: KnownTimes.Samples, _ index: Int) -> Double {
      Double(samples.times[index].nanoseconds) / 1e6 - samples.truths[index] * 1e3
    }
    for index in one.truths.indices where counts(one.truths[index], KnownTimes()) {
      while place + 1 < other.truths.count, other.truths[place + 1] <= one.truths[index] {
        place += 1
      }
      errors.append(error(one, index) - error(other, place))
    }
    return errors
  }

  /// Converts a boot-clock time to UTC, both in seconds.
  private static func utc(_ boot: Double) -> Double { epoch + boot * (1 + bootDrift) }

  /// Returns the errors of computed UTC times in milliseconds, positive if late. The minimum delay
  /// is subtracted.
  private func datingErrors(
    _ samples: KnownTimes.Samples, _ known: KnownTimes, _ clock: ClockTable
  ) -> [Double] {
    zip(samples.truths, samples.times).filter { counts($0.0, known) }.map { truth, time in
      let utc = Double((clock.utc(at: time)?.nanoseconds ?? 0) - Int64(Self.epoch) * 1_000_000_000)
      return (utc / 1e9 - (Self.utc(truth) - Self.epoch) - known.leastDelay) * 1e3
    }
  }

  private func clock(of fixes: [Fix]) -> ClockTable {
    var sampler = ClockSampler()
    var entries = fixes.compactMap { sampler.observe($0) }
    if let last = sampler.take() { entries.append(last) }
    return ClockTable(entries)
  }

  // MARK: Positions

  private let route = WalkRoute()

  private func place(_ boot: Double) -> WalkRoute.Point {
    route.position(at: max(0, boot - KnownTimes().start))
  }

  /// Returns a fix for each whole second of UTC, except while the receiver has no fix. The fixes'
  /// error drifts, like that of a real receiver.
  private func fixes(
    from start: Double, to end: Double, noise: Double, using random: inout SplitMix64
  ) -> [Fix] {
    var marker = FixMarker()
    var fixes: [Fix] = []
    var lostUntil = 0.0
    var (east, north) = (0.0, 0.0)
    var second = Self.utc(start).rounded(.up)
    while second < Self.utc(end) {
      let boot = (second - Self.epoch) / (1 + Self.bootDrift)
      let arrival = BootTime(
        nanoseconds: Int64((boot + 0.1 + Double.random(in: 0..<0.25, using: &random)) * 1e9))
      if Int.random(in: 0..<120, using: &random) == 0 {
        lostUntil = boot + Double.random(in: 2..<20, using: &random)
      }
      let step = noise * 0.3
      east = 0.955 * east + Double.random(in: -1...1, using: &random) * step * 1.2
      north = 0.955 * north + Double.random(in: -1...1, using: &random) * step * 1.2
      let point = place(boot)
      let fix = Fix(
        arrival: arrival, utc: UTCTime(nanoseconds: Int64(second) * 1_000_000_000),
        latitude: point.latitude + north / Self.metresPerDegree,
        longitude: point.longitude
          + east / (Self.metresPerDegree * cos(point.latitude * .pi / 180)),
        altitudeMSL: point.altitudeMSL, speed: point.speed, track: point.track,
        isThreeDimensional: true)
      let isLost = boot < lostUntil
      if let fix = marker.mark(isLost ? .noFix(arrival: arrival) : .fix(fix)) { fixes.append(fix) }
      second += 1
    }
    return fixes
  }

  private static let metresPerDegree = 111_195.0

  private func positionRows(
    _ samples: KnownTimes.Samples, _ known: KnownTimes, _ fixes: [Fix], _ name: String
  ) -> [Row] {
    var track = FixTrack(fixes, clock: clock(of: fixes))
    var (between, before, lost): ([Double], [Double], [Double]) = ([], [], [])
    var next = 0
    for (truth, time) in zip(samples.truths, samples.times) where counts(truth, known) {
      while next < fixes.count, fixes[next].arrival <= time { next += 1 }
      guard let tag = track.position(at: time).position else { continue }
      let error = distance(tag.latitude, tag.longitude, truth)
      guard tag.method == .interpolated, next > 0 else {
        lost.append(error)
        continue
      }
      between.append(error)
      // Without interpolation, a fix that is too old would not be used, so its error does not
      // count.
      guard time.seconds(since: fixes[next - 1].arrival) <= FixTrack.defaultMaximumAge else {
        continue
      }
      before.append(distance(fixes[next - 1].latitude, fixes[next - 1].longitude, truth))
    }
    return [
      Row(name: "position, interpolated, \(name)", unit: "m", figures: Figures(between)),
      Row(name: "position, last fix used instead, \(name)", unit: "m", figures: Figures(before)),
      Row(name: "position, last fix before a loss, \(name)", unit: "m", figures: Figures(lost)),
    ]
  }

  /// Returns the distance in metres from a position to the walker's true position.
  private func distance(_ latitude: Double, _ longitude: Double, _ boot: Double) -> Double {
    let point = place(boot)
    return hypot(
      (latitude - point.latitude) * Self.metresPerDegree,
      (longitude - point.longitude) * Self.metresPerDegree * cos(point.latitude * .pi / 180))
  }
}
