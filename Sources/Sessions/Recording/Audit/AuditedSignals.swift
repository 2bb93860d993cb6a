internal import Values

/// Statistics of the values in one file, in bounded memory.
public struct AuditedSignals: Sendable {
  /// The kind of a signal, derived from its unit.
  public enum Kind: String, Hashable, Sendable {
    case acceleration
    case rotation
    /// Any other signal, whose range is not known.
    case other
  }

  /// A period without movement.
  public struct Rest: Hashable, Sendable {
    /// First row, counted from 1.
    public var row: Int
    public var seconds: Double
  }

  public let kind: Kind
  /// The lowest and highest values of each signal, in the file's unit.
  public private(set) var extremes: [(low: Double, high: Double)]
  /// The number of rows that have the same values and the same time as the previous row.
  public private(set) var duplicates = 0
  /// The longest run of rows with identical values: its first row and its length.
  public private(set) var constant = (row: 0, rows: 0)
  /// The number of rows with a value that is missing or is not a number.
  public private(set) var incomplete = 0
  /// Periods of at least a minute at rest, of which at most 64 are listed.
  public private(set) var rests: [Rest] = []
  /// Total seconds at rest in periods of at least a minute, including unlisted ones.
  public private(set) var restSeconds = 0.0

  /// The file's unit in g or in degrees per second.
  private let scale: Double
  private var former: [Double] = []
  private var formerTime: Int64?
  private var run = (row: 0, rows: 0)
  /// For each range, the number of rows whose largest value is at its limit.
  private var atRange: [Int]
  /// The largest magnitude on any axis, in g or in degrees per second.
  private var peak = 0.0
  private var rest: Rest?
  private var window = Window()

  /// The sums over ten seconds, in which a board at rest shows only its sensor's noise.
  private struct Window {
    var start: Int64?
    var row = 0
    var count = 0.0
    var base = SIMD3<Double>.zero
    var sums = SIMD3<Double>.zero
    var squares = SIMD3<Double>.zero
  }

  /// The ranges that MetaWear boards support, in g and in degrees per second.
  static let ranges: [Kind: [Double]] = [
    .acceleration: [2, 4, 8, 16], .rotation: [125, 250, 500, 1_000, 2_000],
  ]
  private let ranges: [Double]
  /// The fraction of a range at which a value counts as clipped. The gyroscope's largest value is
  /// 32,767 at 16.4 counts per degree per second, which is 0.1 % less than its range of 2,000.
  private static let full = 0.9985
  /// The standard deviation below which an axis counts as at rest. The noise of a BMI160 is 2 mg
  /// and 0.1 degrees per second. A board on the head of a person who sits and reads moves by 7 mg
  /// and 0.8 degrees per second.
  private static let still: [Kind: Double] = [.acceleration: 0.005, .rotation: 0.3]
  private static let (windowTime, leastRest, mostRests) = (Int64(10_000_000), 60.0, 64)

  init(units: [String]) {
    let (kind, scale) = Self.unit(units.first ?? "")
    let isVector = units.count == 3 && Set(units).count == 1
    self.kind = isVector ? kind : .other
    self.scale = scale
    ranges = Self.ranges[self.kind] ?? []
    atRange = ranges.map { _ in 0 }
    extremes = units.map { _ in (.infinity, -.infinity) }
  }

  private static func unit(_ unit: String) -> (Kind, Double) {
    switch unit.lowercased() {
    case "g": (.acceleration, 1)
    case "mg": (.acceleration, 0.001)
    case "m/s2", "m/s²", "m/s^2": (.acceleration, 1 / 9.80665)
    case "deg/s", "°/s", "dps": (.rotation, 1)
    case "rad/s": (.rotation, 180 / Double.pi)
    default: (.other, 1)
    }
  }

  /// `time` is in microseconds. Returns whether the row repeats the previous row's time and values.
  mutating func add(_ values: [Double], row: Int, time: Int64) -> Bool {
    var magnitude = 0.0
    var isComplete = true
    var lacksValue = false
    var isSame = former.count == values.count
    if !isSame { former = values.map { _ in .nan } }
    for place in values.indices {
      let value = values[place]
      guard value.isFinite else {
        isComplete = false
        // In a column that is empty or contains words, values do not count as missing.
        if extremes[place].low.isFinite { lacksValue = true }
        continue
      }
      if value < extremes[place].low { extremes[place].low = value }
      if value > extremes[place].high { extremes[place].high = value }
      if value.magnitude > magnitude { magnitude = value.magnitude }
      // Copied one by one, since a shared array would be copied for every row.
      if value != former[place] {
        isSame = false
        former[place] = value
      }
    }
    if lacksValue { incomplete += 1 }
    isSame = isSame && isComplete
    let isDuplicate = isSame && time == formerTime
    if isDuplicate { duplicates += 1 }
    run = isSame ? (run.row, run.rows + 1) : (row, 1)
    if run.rows > constant.rows { constant = run }
    formerTime = time
    guard kind != .other else { return isDuplicate }
    magnitude *= scale
    if magnitude > peak { peak = magnitude }
    for place in ranges.indices
    where magnitude >= ranges[place] * Self.full && magnitude <= ranges[place] * 1.001 {
      atRange[place] += 1
    }
    // Only signals with three axes have a known kind.
    if isComplete { watch(SIMD3(values[0], values[1], values[2]), row, time) }
    return isDuplicate
  }

  private mutating func watch(_ values: SIMD3<Double>, _ row: Int, _ time: Int64) {
    let start = window.start ?? time
    let elapsed = time.subtractingReportingOverflow(start)
    if window.start == nil || elapsed.overflow || elapsed.partialValue < 0
      || elapsed.partialValue >= Self.windowTime
    {
      close(at: elapsed.overflow ? start : time)
      window = Window(start: time, row: row, base: values)
    }
    window.count += 1
    let deviations = (values - window.base) * scale
    window.sums += deviations
    window.squares += deviations * deviations
  }

  /// Ends the window, and adds it to the current period at rest if nothing moved.
  private mutating func close(at time: Int64) {
    guard let start = window.start, window.count >= 5, let limit = Self.still[kind] else {
      endRest()
      return
    }
    let means = window.sums / window.count
    let isStill = all(window.squares / window.count - means * means .< limit * limit)
    let seconds = Double(time - start) / 1e6
    // A window that ends with a gap does not show whether anything moved during the gap.
    guard isStill, seconds > 0, seconds < 1.5 * Double(Self.windowTime) / 1e6 else {
      endRest()
      return
    }
    rest = Rest(row: rest?.row ?? window.row, seconds: (rest?.seconds ?? 0) + seconds)
  }

  private mutating func endRest() {
    if let rest, rest.seconds >= Self.leastRest {
      restSeconds += rest.seconds
      if rests.count < Self.mostRests { rests.append(rest) }
    }
    rest = nil
  }

  /// Ends the last window at the time of the last row.
  mutating func finish() {
    close(at: formerTime ?? 0)
    endRest()
  }

  /// The smallest range that contains all values; `nil` if no known range does.
  public var range: Double? { ranges.first { peak <= $0 * 1.001 } }

  /// Number of rows with a value at the limit of `range`; 0 if `range` is nil.
  public var clipped: Int {
    zip(ranges, atRange).first { peak <= $0.0 * 1.001 }?.1 ?? 0
  }
}
