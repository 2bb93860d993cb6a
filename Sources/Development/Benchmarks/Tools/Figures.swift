/// The statistics of a repeated measurement: minimum, median and 99th percentile.
public struct Figures: Hashable, Sendable {
  /// The minimum, which is least affected by other load on the machine.
  public let minimum: Double
  public let median: Double
  public let percentile99: Double

  /// The list must not be empty.
  public init(_ values: [Double]) {
    precondition(!values.isEmpty, "figures need at least one value")
    let sorted = values.sorted()
    let upper = sorted.count / 2
    let lower = (sorted.count - 1) / 2
    minimum = sorted[0]
    median = (sorted[lower] + sorted[upper]) / 2
    // Nearest-rank method: the smallest value that 99 of 100 do not exceed.
    percentile99 = sorted[(sorted.count * 99 + 99) / 100 - 1]
  }
}
