/// A row of values as small columns.
public enum Sparkline {
  private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// One character per value: the lowest step at the lower bound, the highest at the upper.
  ///
  /// Values outside the range are drawn at its nearer end, NaN as a blank. In an empty range
  /// everything is drawn in the middle.
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
