internal import LinuxSystem
internal import Values

/// Measures a benchmark's sides alternately.
///
/// Other load on the machine affects all sides equally. Each repetition yields a ratio, and the
/// median of the ratios is the result. Many short repetitions are needed: on a busy machine, a long
/// one is usually preempted, which makes the slower side look even slower.
public struct Measurement: Sendable {
  /// The amount of work to measure.
  public struct Effort: Hashable, Sendable {
    /// The number of repetitions. Each repetition runs every side once.
    public var repeats: Int
    /// The number of work units per side and repetition.
    public var count: Int

    public init(repeats: Int, count: Int) {
      precondition(
        repeats > 0 && count > 0, "a measurement needs at least one repetition and one unit of work"
      )
      self.repeats = repeats
      self.count = count
    }
  }

  public struct SideResult: Sendable {
    public let name: String
    public let samplesPerUnit: Int
    public let nanoseconds: Figures
    /// The number of attempts that failed and were repeated.
    public let failedTries: Int
    /// Stored bytes per work unit; `nil` if the benchmark does not measure them.
    public let bytesPerUnit: Double?
    /// The speed relative to each baseline, computed for each repetition.
    public let ratios: [(baseline: String, figures: Figures)]

    public var samplesPerSecond: Double { Double(samplesPerUnit) * 1e9 / nanoseconds.median }
  }

  public let effort: Effort
  /// The measured sides' results, in the benchmark's order.
  public let results: [SideResult]
  /// The sides that cannot be measured on this machine, and why.
  public let absences: [(name: String, reason: String)]

  /// Runs a benchmark. The first repetition warms up caches and predictors and is not counted,
  /// unless it is the only one.
  public init(of benchmark: Benchmark, _ effort: Effort) throws(MeasurementError) {
    let all = benchmark.sides()
    let sides = all.filter { $0.absence == nil }
    absences = all.compactMap { side in side.absence.map { (side.name, $0) } }
    var times = [[Double]](repeating: [], count: sides.count)
    var failedTries = [Int](repeating: 0, count: sides.count)
    var bytes = [Double?](repeating: nil, count: sides.count)
    for turn in (effort.repeats > 1 ? 0 : 1)...effort.repeats {
      for (index, side) in sides.enumerated() {
        let start = BootClock.now()
        let work = try side.run(effort.count)
        failedTries[index] += work.failedTries
        bytes[index] = work.bytes.map { $0 / Double(effort.count) }
        let time =
          work.nanoseconds ?? Double(BootClock.now().nanoseconds - start.nanoseconds)
        if turn > 0 { times[index].append(time / Double(effort.count)) }
      }
    }
    self.effort = effort
    results = sides.indices.map { index in
      let side = sides[index]
      let others = side.baselines.compactMap { name in sides.firstIndex { $0.name == name } }
      return SideResult(
        name: side.name, samplesPerUnit: side.samplesPerUnit,
        nanoseconds: Figures(times[index]), failedTries: failedTries[index],
        bytesPerUnit: bytes[index],
        ratios: others.map { other in
          (sides[other].name, Figures(zip(times[other], times[index]).map { $0 / $1 }))
        })
    }
  }
}
