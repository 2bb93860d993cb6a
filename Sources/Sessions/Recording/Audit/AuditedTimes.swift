internal import Values

/// The times of the rows of one file, in bounded memory. All times are in microseconds.
public struct AuditedTimes: Sendable {
  /// The origin of the times of a file.
  public enum Origin: String, Hashable, Sendable {
    /// Computed from a row's number: all spacings are equal.
    case computed
    /// Computed from a counter: all spacings are multiples of one period, with gaps.
    case counted
    /// Computed from a row's number, and rounded afterwards.
    case rounded
    /// Arrival times: many rows share a time.
    case arrival
    /// Read from a clock: the spacings vary more than rounding explains.
    case measured
    /// Too few rows to decide.
    case unknown

    /// Whether a program invented the times.
    public var isComputed: Bool { [.computed, .counted, .rounded].contains(self) }
  }

  /// A spacing between two rows that is longer than 1.5 usual spacings.
  public struct Gap: Hashable, Sendable {
    /// The number of the row after the gap, counted from 1.
    public var row: Int
    /// The time of the row before the gap.
    public var time: Int64
    public var length: Int64
  }

  public private(set) var rows = 0
  public private(set) var first: Int64?
  public private(set) var last: Int64?
  /// The number of rows with the same time as the row before.
  public private(set) var repeated = 0
  /// The number of rows with an earlier time than the row before.
  public private(set) var backward = 0
  /// The jumps by more than an hour, or back by more than a second: another epoch begins.
  public private(set) var jumps: [Gap] = []
  /// The number of such jumps, of which `jumps` lists the first ones.
  public private(set) var jumpCount = 0
  /// The duration without the jumps.
  public private(set) var span: Int64 = 0

  /// The smallest difference between two times that the file can express.
  var resolution: Int64 = 1_000
  /// The number of rows by spacing, in multiples of `unit`.
  private var histogram: [Int64: Int] = [:]
  /// Microseconds in a bin of the histogram. Grows if there are too many different spacings.
  private(set) var unit: Int64 = 1
  private(set) var shortest = Int64.max
  private(set) var longest = Int64.min
  /// The longest spacings, in no order.
  private var candidates: [Gap] = []
  /// The shortest of the candidates once their list is full.
  private var entry = Int64.min
  /// The periods that agree with the times of all rows, if each time was rounded once.
  private var periods = 0.0...Double.infinity
  private var isPeriodic = true
  /// The row and the time from which `periods` counts, and the spacing before.
  private var anchor: (row: Int, time: Int64, spacing: Int64) = (0, 0, 0)

  private static let (mostSpacings, mostCandidates, mostJumps) = (4_096, 256, 16)
  private static let (hour, second): (Int64, Int64) = (3_600_000_000, 1_000_000)

  mutating func add(_ time: Int64) {
    rows += 1
    guard let last else {
      (first, last) = (time, time)
      anchor = (rows, time, 0)
      return
    }
    self.last = time
    let (spacing, overflows) = time.subtractingReportingOverflow(last)
    if overflows || spacing > Self.hour || spacing < -Self.second {
      jumpCount += 1
      if jumps.count < Self.mostJumps {
        jumps.append(Gap(row: rows, time: last, length: overflows ? 0 : spacing))
      }
      anchor = (rows, time, 0)
      return
    }
    span += spacing
    if spacing == 0 { repeated += 1 }
    if spacing < 0 { backward += 1 }
    if spacing < shortest { shortest = spacing }
    if spacing > longest { longest = spacing }
    count(spacing)
    fit(time, spacing)
    if spacing > entry { keep(Gap(row: rows, time: last, length: spacing)) }
  }

  private mutating func count(_ spacing: Int64) {
    histogram[spacing / unit, default: 0] += 1
    guard histogram.count > Self.mostSpacings else { return }
    unit *= 10
    var coarse: [Int64: Int] = [:]
    for (spacing, count) in histogram { coarse[spacing / 10, default: 0] += count }
    histogram = coarse
  }

  /// Narrows the periods that agree with all times. A gap begins another piece of the same period.
  private mutating func fit(_ time: Int64, _ spacing: Int64) {
    guard isPeriodic else { return }
    defer { anchor.spacing = spacing }
    if anchor.spacing > 0, spacing > anchor.spacing + anchor.spacing / 2 + resolution {
      anchor = (rows, time, spacing)
      return
    }
    let count = Double(rows - anchor.row)
    let (elapsed, slack) = (Double(time - anchor.time), Double(resolution))
    let low = max(periods.lowerBound, (elapsed - slack) / count)
    let high = min(periods.upperBound, (elapsed + slack) / count)
    if low <= high { periods = low...high } else { isPeriodic = false }
  }

  private mutating func keep(_ gap: Gap) {
    if candidates.count < Self.mostCandidates {
      candidates.append(gap)
    } else if let place = candidates.indices.min(by: {
      candidates[$0].length < candidates[$1].length
    }) {
      candidates[place] = gap
    }
    guard candidates.count == Self.mostCandidates else { return }
    entry = candidates.map(\.length).min() ?? entry
  }

  // Results.

  /// The spacings in microseconds with the number of rows, the most frequent first.
  public var spacings: [(length: Int64, rows: Int)] {
    histogram.map { ($0.key * unit, $0.value) }.sorted {
      ($1.rows, $0.length) < ($0.rows, $1.length)
    }
  }

  /// The usual spacing; `nil` with fewer than two rows.
  public var median: Int64? {
    let ordered = histogram.sorted { $0.key < $1.key }
    let total = ordered.reduce(0) { $0 + $1.value }
    var seen = 0
    for (spacing, count) in ordered {
      seen += count
      if 2 * seen >= total { return spacing * unit }
    }
    return nil
  }

  /// Whether all spacings are equal.
  public var isRegular: Bool { rows > 1 && jumpCount == 0 && shortest == longest && longest > 0 }

  /// The spacings that are gaps, with the number of rows; none if the usual spacing is unknown.
  private var wide: [(length: Int64, rows: Int)] {
    guard let median, median > 0 else { return [] }
    return histogram.map { ($0.key * unit, $0.value) }.filter { 2 * $0.0 > 3 * median }
  }

  /// The number of gaps, which `gaps` may not list completely.
  public var gapCount: Int { wide.reduce(0) { $0 + $1.rows } }

  /// The longest gaps, in the order of the rows.
  public var gaps: [Gap] {
    guard let median, median > 0 else { return [] }
    return candidates.filter { 2 * $0.length > 3 * median }.sorted { $0.row < $1.row }
  }

  /// The duration of all gaps beyond the usual spacing.
  private var gapTime: Int64 {
    let median = median ?? 0
    return wide.reduce(0) { $0 + ($1.length - median) * Int64($1.rows) }
  }

  /// The number of rows that would fit into the gaps at the usual spacing.
  public var missing: Int {
    let median = Double(median ?? 0)
    return wide.reduce(0) { $0 + (Int((Double($1.length) / median).rounded()) - 1) * $1.rows }
  }

  public var largestGap: Int64? { longest >= shortest ? longest : nil }

  /// Rows a second between the first and the last row, gaps included; `nil` if the time does not
  /// pass.
  public var hertz: Double? {
    let spacings = rows - 1 - jumpCount
    return spacings > 0 && span > 0 ? Double(spacings) / (Double(span) / 1e6) : nil
  }

  /// Rows a second between gaps; `nil` if the time does not pass.
  public var hertzBetweenGaps: Double? {
    let spacings = rows - 1 - jumpCount - gapCount
    let time = Double(span) - Double(gapTime) - Double(gapCount) * Double(median ?? 0)
    return spacings > 0 && time > 0 ? Double(spacings) / (time / 1e6) : nil
  }

  /// The origin of the times, which is unknown if measured times could look the same by chance.
  public var origin: Origin {
    guard rows > 2, let median else { return .unknown }
    if median <= 0 || 20 * repeated > rows { return .arrival }
    let pattern = pattern(median)
    return pattern.isComputed && chance >= 0.1 ? .unknown : pattern
  }

  private func pattern(_ median: Int64) -> Origin {
    if isRegular { return .computed }
    let usual = histogram[median / unit] ?? 0
    if unit == 1, repeated == 0, backward == 0, 10 * usual >= 8 * (rows - 1 - jumpCount),
      histogram.keys.allSatisfy({ $0 % median == 0 })
    {
      return .counted
    }
    return isPeriodic && median > resolution ? .rounded : .measured
  }

  /// The chance that measured times would look like computed ones, up to 1.
  ///
  /// The clock of a sensor is free: its rate is anywhere within 1 % of the nominal rate. Measured
  /// times look regular only if the two agree to within the resolution over the whole span. Each
  /// gap that is a multiple of the period makes this less likely.
  public var chance: Double {
    guard span > 0 else { return 1 }
    let alone = min(1, Double(resolution) / (Double(span) * 0.01))
    let gap = median.map { min(1, 2 * Double(resolution) / Double(max(1, $0))) } ?? 1
    return (0..<min(gapCount, 20)).reduce(alone) { chance, _ in chance * gap }
  }
}
