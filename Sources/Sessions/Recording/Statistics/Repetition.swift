/// Finds the period of a repeating series of values, by its autocorrelation.
///
/// It is created once and filled again for each search, so that a search does not allocate.
struct Repetition: Sendable {
  /// A lag at which the series is similar to itself.
  struct Turn: Hashable, Sendable {
    /// Lag in values, with fractions.
    var lag: Double
    /// Similarity of one turn to the next, at most about 1.
    var regularity: Double
  }

  /// A shorter turn is preferred if it is nearly as regular as a longer one, which is then a
  /// multiple of it.
  private static let nearly = 0.85
  /// The part of the required regularity that a turn must have with the turn after the next.
  private static let recurrence = 0.9
  /// The part by which a turn may differ from the previous one.
  private static let likeness = 0.15

  /// The values without their mean; the first `count` are valid.
  private var values: [Double]
  /// The similarity at each lag, up to that of two of the longest turns.
  private var correlations: [Double]
  private var count = 0
  /// Standard deviation of the values.
  private(set) var deviation = 0.0

  /// Room for a series of this many values.
  init(capacity: Int) {
    values = Array(repeating: 0, count: capacity)
    correlations = Array(repeating: 0, count: Self.longestTurn(of: capacity) * 2 + 2)
  }

  /// The longest turn of which a series contains three. Two jolts define a distance, and only a
  /// third at the same distance makes a rhythm.
  private static func longestTurn(of count: Int) -> Int { count / 3 }

  /// Replaces the series by values at equal distances. A series that varies by less than `least` is
  /// at rest, and nothing repeats in it.
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

  /// The mean product of values `lag` places apart.
  private func product(lag: Int) -> Double {
    // Four sums side by side: a single one would wait for each addition.
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

  /// The length of one turn; `nil` if nothing repeats three times.
  ///
  /// - Parameters:
  ///   - lags: the lengths to search.
  ///   - least: the regularity that a turn must have.
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

  /// The turn most similar to a former one; `nil` if none is similar.
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

  /// Passes on the peaks of the autocorrelation that recur at twice their lag, from the shortest
  /// lag on, until `take` returns `false`.
  private func scan(
    _ lags: ClosedRange<Double>, least: Double, _ take: (Turn) -> Bool
  ) {
    let last = min(Int(lags.upperBound.rounded(.up)), Self.longestTurn(of: count))
    for lag in stride(from: max(1, Int(lags.lowerBound)), through: last, by: 1) {
      let (left, middle, right) = (correlations[lag - 1], correlations[lag], correlations[lag + 1])
      guard middle >= least, middle >= left, middle > right,
        recurs(lag, least: Self.recurrence * least)
      else { continue }
      // The top of the parabola through the peak and its neighbours.
      let bend = left - 2 * middle + right
      let top = Double(lag) + (bend < 0 ? (left - right) / (2 * bend) : 0)
      guard take(Turn(lag: top, regularity: middle)) else { return }
    }
  }

  /// Whether the turn after the next is also similar to this one.
  private func recurs(_ lag: Int, least: Double) -> Bool {
    max(correlations[2 * lag - 1], correlations[2 * lag], correlations[2 * lag + 1]) >= least
  }
}
