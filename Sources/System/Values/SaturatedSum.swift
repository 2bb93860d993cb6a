extension UInt64 {
  /// The sum, or the largest number where it would overflow: counts from a damaged store or another
  /// computer can be any number.
  public func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
