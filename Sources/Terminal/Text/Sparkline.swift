/// A row of values as a row of little columns.
public enum Sparkline {
  private static let steps: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// One character a value: the lowest step at the lower bound, the highest at the upper.
  ///
  /// Values outside the range are drawn at its nearer end, and what is no number as a blank. In a
  /// range without extent everything stands in the middle.
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
