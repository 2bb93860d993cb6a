/// What repeating a measurement gave: the least, the middle and nearly the worst of it.
public struct Figures: Hashable, Sendable {
  /// The least value, which the machine's other work disturbed least.
  public let minimum: Double
  /// The middle one.
  public let median: Double
  /// What 99 of 100 stay at or below.
  public let percentile99: Double

  /// The figures of these values, of which there must be one at least.
  public init(_ values: [Double]) {
    precondition(!values.isEmpty, "figures need a value")
    let sorted = values.sorted()
    let upper = sorted.count / 2
    let lower = (sorted.count - 1) / 2
    minimum = sorted[0]
    median = (sorted[lower] + sorted[upper]) / 2
    // The nearest rank: the smallest value that 99 of 100 do not exceed.
    percentile99 = sorted[(sorted.count * 99 + 99) / 100 - 1]
  }
}
