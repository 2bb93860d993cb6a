internal import LinuxSystem
internal import Values

/// All sides of a benchmark, measured in turns.
///
/// Other load on the machine affects every side alike. A ratio is taken within each turn, and the
/// median of the ratios counts. That needs many short turns: on a busy machine, a long one usually
/// loses its processor, and the slower side of a ratio then looks even slower.
public struct Measurement: Sendable {
  /// The amount of work to measure.
  public struct Effort: Hashable, Sendable {
    /// Turns; each runs every side once.
    public var repeats: Int
    /// Units of work per side and turn.
    public var count: Int

    public init(repeats: Int, count: Int) {
      precondition(repeats > 0 && count > 0, "a measurement repeats some work")
      self.repeats = repeats
      self.count = count
    }
  }

  /// The measurement of one side.
  public struct SideResult: Sendable {
    public let name: String
    /// Samples per unit of work.
    public let samplesPerUnit: Int
    /// Nanoseconds per unit of work.
    public let nanoseconds: Figures
    /// Tries that were repeated because a packet was lost.
    public let failedTries: Int
    /// Bytes to store a unit, if the benchmark measures them.
    public let bytesPerUnit: Double?
    /// The speed relative to each baseline, turn by turn.
    public let ratios: [(baseline: String, figures: Figures)]

    public var samplesPerSecond: Double { Double(samplesPerUnit) * 1e9 / nanoseconds.median }
  }

  /// The turns and units of each side.
  public let effort: Effort
  /// Each side's result, in the benchmark's order.
  public let results: [SideResult]
  /// Sides that this machine cannot measure, and the reasons.
  public let absences: [(name: String, reason: String)]

  /// Runs a benchmark. The first turn fills caches and predictors and does not count, unless there
  /// is only one.
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
