/// Finds the period of a repeating series of values, using its autocorrelation.
///
/// Create a value once and fill it again for each search, so that searches do not allocate memory.
struct Repetition: Sendable {
  /// One repetition: a lag at which the series is similar to itself.
  struct Turn: Hashable, Sendable {
    /// The lag as a number of values, with a fractional part.
    var lag: Double
    /// Similarity between one repetition and the next, at most about 1.
    var regularity: Double
  }

  /// A shorter repetition is preferred to a longer one if it has at least this fraction of the
  /// longer one's regularity. The longer one is then a multiple of the shorter one.
  private static let nearly = 0.85
  /// Minimum similarity at twice the lag, as a fraction of the required regularity.
  private static let recurrence = 0.9
  /// Maximum difference between the lengths of two similar repetitions, as a fraction of the
  /// length.
  private static let likeness = 0.15

  /// The values with their mean subtracted. Only the first `count` values are valid.
  private var values: [Double]
  /// The similarity of the series to itself at each lag, up to twice the longest possible
  /// repetition.
  private var correlations: [Double]
  private(set) var count = 0
  /// Standard deviation of the values.
  private(set) var deviation = 0.0

  init(capacity: Int) {
    values = Array(repeating: 0, count: capacity)
    correlations = Array(repeating: 0, count: Self.longestTurn(of: capacity) * 2 + 2)
  }

  /// Returns the length of the longest repetition that fits into a series three times. Two jolts
  /// define an interval, but a rhythm requires a third jolt after the same interval.
  private static func longestTurn(of count: Int) -> Int { count / 3 }

  /// Replaces the series with equally spaced values. If their standard deviation is less than
  /// `least`, the series is considered at rest, and no repetition is found.
  mutating func fill(_ count: Int, unless least: Double, from value: (Int) -> Double) {
    self.count = count
    var sum = 0.0
    for place in 0..<count {
      values[place] = value(place)
      sum += values[place]
    }
    let mean = sum / Double(count)
    var squares = 0.0
    for place in 0..<count {
      values[place] -= mean
      squares += values[place] * values[place]
    }
    let variance = squares / Double(count)
    deviation = variance.squareRoot()
    guard deviation >= least, variance > 0 else {
      self.count = 0
      return
    }
    for lag in 0..<Self.longestTurn(of: count) * 2 + 2 {
      correlations[lag] = product(lag: lag) / variance
    }
  }

  /// Returns the mean product of each value and the value `lag` positions later.
  private func product(lag: Int) -> Double {
    // Four parallel sums, since each addition to a single sum would have to wait for the previous
    // one.
    var sums = SIMD4<Double>.zero
    let end = count - lag
    var place = 0
    while place + 4 <= end {
      let here = SIMD4(
        values[place], values[place + 1], values[place + 2], values[place + 3])
      let there = SIMD4(
        values[place + lag], values[place + lag + 1], values[place + lag + 2],
        values[place + lag + 3])
      sums += here * there
      place += 4
    }
    var sum = sums.sum()
    while place < end {
      sum += values[place] * values[place + lag]
      place += 1
    }
    return sum / Double(end)
  }

  /// Returns the shortest repetition that is nearly as regular as the most regular one; `nil` if
  /// nothing repeats three times.
  ///
  /// - Parameters:
  ///   - lags: the range of lengths to search.
  ///   - least: the minimum regularity of a repetition.
  func turn(within lags: ClosedRange<Double>, least: Double) -> Turn? {
    var best = 0.0
    scan(lags, least: least) { turn in
      best = max(best, turn.regularity)
      return true
    }
    var first: Turn?
    scan(lags, least: least) { turn in
      guard turn.regularity >= Self.nearly * best else { return true }
      first = turn
      return false
    }
    return first
  }

  /// Returns the repetition whose length is closest to the length of a previous repetition; `nil`
  /// if no repetition is similar.
  func turn(like former: Double, within lags: ClosedRange<Double>, least: Double) -> Turn? {
    var nearest: Turn?
    scan(lags, least: least) { turn in
      let distance = abs(turn.lag - former)
      if distance < abs((nearest?.lag ?? .infinity) - former), distance < Self.likeness * former {
        nearest = turn
      }
      return true
    }
    return nearest
  }

  /// Returns the highest similarity of the series to itself at this lag or one value away from it.
  /// The lag is limited to twice the longest possible repetition.
  func similarity(at lag: Double) -> Double {
    let lag = max(1, min(Int(lag.rounded()), correlations.count - 2))
    return max(correlations[lag - 1], correlations[lag], correlations[lag + 1])
  }

  /// Returns the similarity of the series to itself at a lag; `nil` if the series is at rest.
  func similarity(exactlyAt lag: Int) -> Double? { count > 0 ? correlations[lag] : nil }

  /// Calls `take` with each peak of the autocorrelation that recurs at twice its lag, from the
  /// shortest lag onwards, until `take` returns `false`.
  private func scan(
    _ lags: ClosedRange<Double>, least: Double, _ take: (Turn) -> Bool
  ) {
    let last = min(Int(lags.upperBound.rounded(.up)), Self.longestTurn(of: count))
    for lag in stride(from: max(1, Int(lags.lowerBound)), through: last, by: 1) {
      let (left, middle, right) = (correlations[lag - 1], correlations[lag], correlations[lag + 1])
      guard middle >= least, middle >= left, middle > right,
        recurs(lag, least: Self.recurrence * least)
      else { continue }
      // The vertex of the parabola through the peak and its two neighbours.
      let bend = left - 2 * middle + right
      let top = Double(lag) + (bend < 0 ? (left - right) / (2 * bend) : 0)
      guard take(Turn(lag: top, regularity: middle)) else { return }
    }
  }

  /// Whether the series is also similar to itself at twice this lag.
  private func recurs(_ lag: Int, least: Double) -> Bool {
    max(correlations[2 * lag - 1], correlations[2 * lag], correlations[2 * lag + 1]) >= least
  }
}
