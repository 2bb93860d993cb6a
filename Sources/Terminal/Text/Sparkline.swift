/// Draws a row of values as small vertical bars.
public enum Sparkline {
  private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns one character per value: the lowest step for the lower bound, the highest for the
  /// upper bound.
  ///
  /// Values outside the range are drawn at the nearer bound, and NaN as a space. In an empty range,
  /// all values are drawn in the middle.
  public static func text(_ values: some Sequence<Double>, in range: ClosedRange<Double>) -> String
  {
    let extent = range.upperBound - range.lowerBound
    return String(
      values.map { value -> Character in
        guard !value.isNaN else { return " " }
        guard extent > 0, extent.isFinite else { return steps[3] }
        let share = min(max((value - range.lowerBound) / extent, 0), 1)
        return steps[min(Int(share * Double(steps.count)), steps.count - 1)]
      })
  }
}
