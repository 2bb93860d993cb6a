/// Finds the period of a repeating series of values, by its autocorrelation.
struct Repetition: Sendable {
  /// Least correlation of one turn with the next: walking is above 0.7, random shaking below 0.3.
  private static let regularity = 0.45
  /// Least correlation for a wearer who walked at the same pace a second ago: uneven ground makes
  /// single strides differ.
  private static let keptRegularity = 0.2
  /// The part by which such a turn may differ from the one before.
  private static let likeness = 0.15
  /// A shorter turn is taken if it is nearly as regular as a longer one, which is then a multiple
  /// of it.
  private static let nearly = 0.85

  /// The values without their mean.
  private let values: [Double]
  private let variance: Double

  /// A series of values at equal distances.
  init(_ values: [Double]) {
    let mean = values.reduce(0, +) / Double(values.count)
    self.values = values.map { $0 - mean }
    variance = Self.product(of: self.values, lag: 0)
  }

  /// Length of one turn in places of the series, with fractions; `nil` if nothing repeats.
  ///
  /// - Parameters:
  ///   - lags: the lengths to search.
  ///   - former: the length found last, for which a lower regularity is enough.
  func turn(within lags: ClosedRange<Double>, before former: Double?) -> Double? {
    guard variance > 0 else { return nil }
    let peaks = peaks(from: Int(lags.lowerBound), to: Int(lags.upperBound.rounded(.up)))
    if let best = peaks.map(\.height).max(), best >= Self.regularity,
      let first = peaks.first(where: { $0.height >= Self.nearly * best })
    {
      return first.lag
    }
    guard let former else { return nil }
    return peaks.filter { $0.height >= Self.keptRegularity }.map(\.lag)
      .min { abs($0 - former) < abs($1 - former) }
      .flatMap { abs($0 - former) < Self.likeness * former ? $0 : nil }
  }

  /// The peaks of the autocorrelation that recur at twice their lag.
  private func peaks(from first: Int, to last: Int) -> [(lag: Double, height: Double)] {
    let row = (first - 1...last + 1).map { correlation(lag: $0) }
    return row.indices.dropFirst().dropLast().compactMap { place in
      let (left, middle, right) = (row[place - 1], row[place], row[place + 1])
      let lag = place + first - 1
      guard middle >= left, middle > right, goesOn(lag) else { return nil }
      // The top of the parabola through the peak and its neighbours.
      let bend = left - 2 * middle + right
      return (Double(lag) + (bend < 0 ? (left - right) / (2 * bend) : 0), middle)
    }
  }

  /// Whether the turn after the next is also similar to this one, as far as the series shows it.
  /// Two jolts make a distance, and only a third at the same distance makes a rhythm.
  private func goesOn(_ lag: Int) -> Bool {
    guard 2 * lag <= values.count * 3 / 4 else { return true }
    return (2 * lag - 1...2 * lag + 1).contains { correlation(lag: $0) >= Self.regularity }
  }

  /// Similarity of the series to itself `lag` places later, at most about 1.
  private func correlation(lag: Int) -> Double {
    Self.product(of: values, lag: lag) / variance
  }

  private static func product(of values: [Double], lag: Int) -> Double {
    var sum = 0.0
    for index in 0..<values.count - lag { sum += values[index] * values[index + lag] }
    return sum / Double(values.count - lag)
  }
}
