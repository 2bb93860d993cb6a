internal import Values

/// Statistics of the times in one file, in bounded memory. All times are in microseconds.
public struct AuditedTimes: Sendable {
  public enum Origin: String, Hashable, Sendable {
    /// Computed from a row's number: all spacings are equal.
    case computed
    /// Computed from a counter: all spacings are multiples of one period, with gaps.
    case counted
    /// Evenly spaced apart from rounding: computed from a row's number, or read from a clock with
    /// less jitter than the file can express.
    case rounded
    /// Arrival times: many rows share a time.
    case arrival
    /// Read from a clock: the spacings vary more than rounding explains.
    case measured
    /// Too few rows to decide.
    case unknown

    /// Whether a program invented the times.
    public var isComputed: Bool { self == .computed || self == .counted }

    /// Whether a program may have invented the times.
    public var mayBeComputed: Bool { isComputed || self == .rounded }
  }

  /// A spacing of more than 1.5 times the usual spacing, for which later rows do not compensate.
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
  public private(set) var repeated = 0
  /// The number of rows that repeat the time and the values of the previous row.
  public private(set) var duplicates = 0
  public private(set) var backward = 0
  /// The jumps forward by more than an hour or back by more than a second, each of which begins
  /// another epoch.
  public private(set) var jumps: [Gap] = []
  /// Number of jumps, of which `jumps` lists the first 16.
  public private(set) var jumpCount = 0
  /// The duration without the jumps.
  public private(set) var span: Int64 = 0

  /// The smallest difference between two times that the file can express.
  var resolution: Int64 = 1_000
  /// The set rate in Hz; `nil` if the file's name does not state it.
  var setRate: Double?
  private var lasting = LastingGaps()
  /// The number of rows by spacing, in multiples of `unit`.
  private var histogram: [Int64: Int] = [:]
  /// Width of a histogram bin in microseconds. Increases if there are too many different spacings.
  private var unit: Int64 = 1
  private var candidates = LongestGaps()
  /// The periods that agree with the times of all rows, if each time was rounded once; `nil` if
  /// there are none.
  private var periods: ClosedRange<Double>? = 0...Double.infinity
  /// The row and the time from which `fit` counts rows, and the previous spacing.
  private var anchor: (row: Int, time: Int64, spacing: Int64) = (0, 0, 0)

  private static let (mostSpacings, mostJumps) = (4_096, 16)
  private static let (hour, second): (Int64, Int64) = (3_600_000_000, 1_000_000)

  mutating func add(_ time: Int64, isDuplicate: Bool = false) {
    rows += 1
    let former = last
    last = time
    guard let former else {
      first = time
      return begin(time)
    }
    let (spacing, overflows) = time.subtractingReportingOverflow(former)
    if overflows || spacing > Self.hour || spacing < -Self.second {
      jumpCount += 1
      if jumps.count < Self.mostJumps {
        jumps.append(Gap(row: rows, time: former, length: overflows ? 0 : spacing))
      }
      return begin(time)
    }
    span += spacing
    if spacing == 0 { repeated += 1 }
    if spacing < 0 {
      backward += 1
      lasting.close(beforeDisorder: true)
    }
    if isDuplicate { duplicates += 1 } else { lasting.add(time, row: rows) }
    count(spacing)
    fit(time, spacing)
    candidates.add(Gap(row: rows, time: former, length: spacing))
  }

  /// Starts the first or a new epoch.
  private mutating func begin(_ time: Int64) {
    anchor = (rows, time, 0)
    lasting.close()
    lasting.add(time, row: rows)
  }

  /// Must be called after the last row, so that the results are complete.
  mutating func finish() { lasting.close() }

  private mutating func count(_ spacing: Int64) {
    histogram[spacing / unit, default: 0] += 1
    guard histogram.count > Self.mostSpacings else { return }
    unit *= 10
    var coarse: [Int64: Int] = [:]
    for (spacing, count) in histogram { coarse[spacing / 10, default: 0] += count }
    histogram = coarse
  }

  /// Narrows the periods that agree with all times. After a gap, rows are counted again from the
  /// row that follows it.
  private mutating func fit(_ time: Int64, _ spacing: Int64) {
    guard let known = periods else { return }
    defer { anchor.spacing = spacing }
    if anchor.spacing > 0, spacing > anchor.spacing + anchor.spacing / 2 + resolution {
      anchor = (rows, time, spacing)
      return
    }
    let count = Double(rows - anchor.row)
    let (elapsed, slack) = (Double(time - anchor.time), Double(resolution))
    let low = max(known.lowerBound, (elapsed - slack) / count)
    let high = min(known.upperBound, (elapsed + slack) / count)
    periods = low <= high ? low...high : nil
  }

  /// The spacings in microseconds, each with its number of rows, most frequent first.
  public var spacings: [(length: Int64, rows: Int)] {
    histogram.map { ($0.key * unit, $0.value) }.sorted {
      ($1.rows, $0.length) < ($0.rows, $1.length)
    }
  }

  /// The usual spacing; `nil` if there are fewer than two rows.
  public var median: Int64? { spacing(at: 0.5) }

  /// Returns the spacing that this fraction of the spacings does not exceed.
  func spacing(at share: Double) -> Int64? {
    let ordered = histogram.sorted { $0.key < $1.key }
    let total = ordered.reduce(0) { $0 + $1.value }
    var seen = 0
    for (spacing, count) in ordered {
      seen += count
      if Double(seen) >= share * Double(total) { return spacing * unit }
    }
    return nil
  }

  public var isRegular: Bool {
    jumpCount == 0 && unit == 1 && histogram.count == 1 && largestGap ?? 0 > 0
  }

  /// The sensor's period, if all spacings are multiples of it with little jitter. Each spacing then
  /// shows how many rows are missing. `nil` otherwise, and if neither the set rate nor a standard
  /// rate has this period.
  var period: Int64? {
    guard backward == 0, duplicates == 0, let median, median > 0 else { return nil }
    let hertz = 1e6 / Double(median)
    return [setRate, Self.standardRate(near: hertz)].lazy.compactMap(\.self)
      .compactMap { self.period(at: $0, median) }.first
  }

  /// The standard rates of the boards' sensors.
  static let rates = [
    0.78125, 1.5625, 3.125, 6.25, 7.33, 12.5, 25, 50, 100, 200, 400, 800, 1_600, 3_200,
  ]

  /// The standard rate within 5 % of a rate; `nil` if there is none.
  static func standardRate(near hertz: Double) -> Double? {
    rates.first { abs($0 / hertz - 1) < 0.05 }
  }

  private func period(at rate: Double, _ median: Int64) -> Int64? {
    let period = 1e6 / rate
    guard period > 2 * Double(unit), period < 1e15 else { return nil }
    var (single, near, several, multiples, time, steps) = (0, 0, 0, 0, 0.0, 0.0)
    for (spacing, rows) in histogram {
      let ratio = Double(spacing * unit) / period
      guard ratio > 0.5 else { return nil }
      let deviation = abs(ratio - ratio.rounded())
      if ratio <= 1.5 {
        single += rows
        if deviation < 0.2 { near += rows }
      } else {
        several += rows
        if deviation < 0.25 || ratio > 20 { multiples += rows }
      }
      guard ratio < 20 else { continue }
      time += Double(spacing * unit) * Double(rows)
      steps += ratio.rounded() * Double(rows)
    }
    // If no spacing is a single period, the sensor may have run at a lower rate.
    guard steps > 0, abs(time / steps / period - 1) < 0.015, 20 * single >= single + several,
      1_000 * near >= 998 * single, 10 * multiples >= 9 * several
    else { return nil }
    return abs(Double(median) / period - 1) < 0.3 ? median : Int64(period.rounded())
  }

  /// The number of gaps, the number of rows that would fit into them at the usual spacing, and
  /// their total length.
  ///
  /// If the spacings are multiples of a period, every long spacing is a gap. Otherwise, only the
  /// rows after a long spacing show whether it is a gap.
  private var allGaps: (count: Int, missing: Int, time: Int64) {
    guard let period else { return (lasting.count, lasting.missing, lasting.time) }
    var all = (count: 0, missing: 0, time: Int64(0))
    for (bin, rows) in histogram where 2 * bin * unit > 3 * period {
      all.count += rows
      all.missing += (Int((Double(bin * unit) / Double(period)).rounded()) - 1) * rows
      all.time += bin * unit * Int64(rows)
    }
    return all
  }

  /// The places of the gaps, for reading the same file a second time; `nil` if there are too many.
  public var gapPlaces: GapPlaces? {
    if isTicking || origin == .arrival { return GapPlaces() }
    if let period { return GapPlaces(period: period) }
    return lasting.places.map { GapPlaces(missing: $0) }
  }

  /// The number of gaps, not all of which may be listed in `gaps`.
  public var gapCount: Int { allGaps.count }

  /// The number of rows that would fit into the gaps at the usual spacing.
  public var missing: Int { allGaps.missing }

  /// The longest gaps, in the order of the rows.
  public var gaps: [Gap] {
    let found = period.map { period in candidates.list.filter { 2 * $0.length > 3 * period } }
    return (found ?? lasting.gaps.list).sorted { $0.row < $1.row }
  }

  /// Whether a clock that shows only whole periods explains the gaps: each gap is one period, at
  /// regular intervals, because the sensor is slightly slower than the clock.
  var isTicking: Bool {
    guard unit == 1, let period, histogram.keys.allSatisfy({ $0 == period || $0 == 2 * period })
    else { return false }
    let rows = gaps.map(\.row)
    guard (4..<LongestGaps.most).contains(rows.count) else { return false }
    let distances = zip(rows.dropFirst(), rows).map { $0 - $1 }
    return (distances.max() ?? 0) - (distances.min() ?? 0) <= 2
  }

  /// Whether jitter hides gaps of a single row.
  var hidesSingleRows: Bool { period == nil && lasting.hidesSingleRows }

  var isReversed: Bool {
    rows > 2 && backward + jumpCount == rows - 1 && (last ?? 0) < (first ?? 0)
  }

  /// The uncertainty, in microseconds, that jitter and gaps cause when a rate between gaps is
  /// measured. If the clock advances in coarse steps, the time over several rows varies less than
  /// the spacings do.
  var slack: Double {
    let steps = max(0, (spacing(at: 0.9) ?? 0) - (spacing(at: 0.1) ?? 0) - 2 * resolution)
    return Double(resolution + steps)
      + 4 * lasting.spread * (2 * Double(1 + gapCount)).squareRoot()
  }

  public var largestGap: Int64? { candidates.list.lazy.map(\.length).max() }

  /// Rows per second between the first and the last row, including gaps; `nil` if no time passes.
  public var hertz: Double? {
    let spacings = rows - 1 - jumpCount
    return spacings > 0 && span > 0 ? Double(spacings) / (Double(span) / 1e6) : nil
  }

  /// Rows per second between gaps, without duplicates; `nil` if no time passes.
  public var hertzBetweenGaps: Double? {
    let gaps = allGaps
    return hertz(gaps: gaps.count, taking: gaps.time)
  }

  /// Rows per second between the gaps that an import finds.
  var importedHertz: Double? { origin == .arrival ? hertz(gaps: 0, taking: 0) : hertzBetweenGaps }

  private func hertz(gaps: Int, taking length: Int64) -> Double? {
    let spacings = rows - 1 - jumpCount - duplicates - gaps
    let time = Double(span) - Double(length)
    return spacings > 0 && time > 0 ? Double(spacings) / (time / 1e6) : nil
  }

  /// The origin of the times, which is unknown if measured times could look the same by chance.
  public var origin: Origin {
    guard rows > 2, let median, 2 * backward < rows, !isTicking else { return .unknown }
    if median <= 0 || 20 * (repeated - duplicates) > rows { return .arrival }
    let pattern = pattern(median)
    return pattern.mayBeComputed && chance >= 0.1 ? .unknown : pattern
  }

  private func pattern(_ median: Int64) -> Origin {
    if isRegular { return .computed }
    let usual = histogram[median / unit] ?? 0
    let isUsual = 10 * usual >= 8 * (rows - 1 - jumpCount)
    if unit == 1, repeated == 0, backward == 0, let length = period ?? (isUsual ? median : nil),
      isUsual || length != median, histogram.keys.allSatisfy({ $0 % length == 0 })
    {
      return .counted
    }
    return periods != nil && median > resolution ? .rounded : .measured
  }

  /// The probability that measured times would look like computed times, at most 1.
  ///
  /// A sensor's clock runs freely: its rate is anywhere within 1 % of the nominal rate. Measured
  /// times look regular only if the two agree to within the resolution over the whole span. Each
  /// gap that is a multiple of the period makes this less likely.
  public var chance: Double {
    guard span > 0 else { return 1 }
    let alone = min(1, Double(resolution) / (Double(span) * 0.01))
    let gap = (period ?? median).map { min(1, 2 * Double(resolution) / Double(max(1, $0))) } ?? 1
    return (0..<min(gapCount, 20)).reduce(alone) { chance, _ in chance * gap }
  }
}
