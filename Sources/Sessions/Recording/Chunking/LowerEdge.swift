/// Fits a line below the arrivals. Packets arrive late, never early, so the least late packets are
/// on a straight line and all others are above it.
///
/// Bursts, stalls and a slow start do not move a line below the arrivals, although they would move
/// a least-squares line.
enum LowerEdge {
  /// The least late sample within a time span.
  struct Point: Sendable {
    /// Number of the sample, relative to the first sample.
    var number: Double
    /// Nanoseconds by which the sample arrived later than the configured rate predicts.
    var deviation: Double
  }

  /// Lateness relative to the configured rate, as a linear function of the sample number.
  struct Line: Sendable {
    var number: Double
    var deviation: Double
    /// Increase in lateness, in nanoseconds per sample.
    var slope: Double

    func deviation(at number: Double) -> Double {
      deviation + slope * (number - self.number)
    }
  }

  /// Maximum relative difference between a board's rate and the configured rate. The timers of
  /// polled streams deviate by up to ten percent.
  static let tolerance = 0.12

  /// Returns the edge of the lower convex hull at the middle of the points. Of all lines that lie
  /// below every point, this edge is the closest on average. Returns `nil` if the points have fewer
  /// than two different numbers.
  ///
  /// - Precondition: The points are sorted by number.
  static func line(below points: [Point]) -> Line? {
    guard let first = points.first, let last = points.last, last.number > first.number else {
      return nil
    }
    var hull: [Point] = []
    var sum = 0.0
    for point in points {
      sum += point.number
      while hull.count >= 2 {
        let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
        let turn =
          (b.number - a.number) * (point.deviation - a.deviation)
          - (b.deviation - a.deviation) * (point.number - a.number)
        guard turn <= 0 else { break }
        hull.removeLast()
      }
      hull.append(point)
    }
    let middle = sum / Double(points.count)
    guard let end = hull.firstIndex(where: { $0.number >= middle }), end > 0 else { return nil }
    let (a, b) = (hull[end - 1], hull[end])
    return Line(
      number: a.number, deviation: a.deviation,
      slope: (b.deviation - a.deviation) / (b.number - a.number))
  }
}
