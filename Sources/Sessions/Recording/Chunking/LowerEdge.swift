/// The line below the arrivals: packets arrive late, never early, so the least late ones are on a
/// straight line and all others above it.
///
/// A burst, a stall or a bad start does not move this line, as it would a least-squares line.
enum LowerEdge {
  /// One of the least late samples of its time.
  struct Point: Sendable {
    /// Number of the sample, counted from the first one.
    var number: Double
    /// Nanoseconds by which the sample came later than at the configured rate.
    var deviation: Double
  }

  /// Deviation from the configured rate as a straight line through the number.
  struct Line: Sendable {
    var number: Double
    var deviation: Double
    /// Nanoseconds per sample.
    var slope: Double

    func deviation(at number: Double) -> Double {
      deviation + slope * (number - self.number)
    }
  }

  /// Part by which a board's rate may differ from the configured one; timers of polled streams are
  /// off by up to ten percent.
  static let tolerance = 0.12

  /// The edge of the lower convex hull at the middle: of all lines below every point, it is the
  /// nearest on average. `nil` for fewer than two numbers.
  ///
  /// - Precondition: the points are in order of their numbers.
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
