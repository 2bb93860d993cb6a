internal import LinuxSystem
internal import Recording

/// All sides of a benchmark, measured in turns.
///
/// Whatever else the machine does meets every side alike, and a ratio is taken within a turn before
/// its median is. That needs many short turns: on a busy machine a long one loses its processor more
/// often than not, and the slower side of a ratio looks slower still.
public struct Measurement: Sendable {
  /// How much is measured.
  public struct Effort: Hashable, Sendable {
    /// Turns; each runs every side once.
    public var repeats: Int
    /// Units of work a side does per turn.
    public var count: Int

    /// So many turns of so many units.
    public init(repeats: Int, count: Int) {
      precondition(repeats > 0 && count > 0, "a measurement repeats some work")
      self.repeats = repeats
      self.count = count
    }
  }

  /// What was measured of one side.
  public struct SideResult: Sendable {
    /// Its name.
    public let name: String
    /// Samples per unit of work.
    public let samplesPerUnit: Int
    /// Nanoseconds per unit of work.
    public let nanoseconds: Figures
    /// The side it is compared with.
    public let baseline: String?
    /// How many times faster than that side, turn by turn.
    public let ratio: Figures?

    /// Samples per second at the median.
    public var samplesPerSecond: Double { Double(samplesPerUnit) * 1e9 / nanoseconds.median }
  }

  /// What was asked for.
  public let effort: Effort
  /// Each side's result, in the benchmark's order.
  public let results: [SideResult]

  /// Runs a benchmark. The first turn fills caches and predictors and does not count.
  public init(of benchmark: Benchmark, _ effort: Effort) {
    let sides = benchmark.sides()
    var times = [[Double]](repeating: [], count: sides.count)
    for turn in 0...effort.repeats {
      for (index, side) in sides.enumerated() {
        let start = BootClock.now()
        side.run(effort.count)
        let time = BootClock.now().nanoseconds - start.nanoseconds
        if turn > 0 { times[index].append(Double(time) / Double(effort.count)) }
      }
    }
    self.effort = effort
    results = sides.indices.map { index in
      let side = sides[index]
      let other = sides.firstIndex { $0.name == side.baseline }
      return SideResult(
        name: side.name, samplesPerUnit: side.samplesPerUnit,
        nanoseconds: Figures(times[index]), baseline: side.baseline,
        ratio: other.map { Figures(zip(times[$0], times[index]).map { $0 / $1 }) })
    }
  }
}
