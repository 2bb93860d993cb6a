/// The statistics of a repeated measurement: minimum, median and 99th percentile.
public struct Figures: Hashable, Sendable {
  /// The least value, which the machine's other work disturbed least.
  public let minimum: Double
  /// The middle value.
  public let median: Double
  /// The value that 99 of 100 do not exceed.
  public let percentile99: Double

  /// The figures of at least one value.
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
