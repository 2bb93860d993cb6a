extension UInt64 {
  /// The sum, or the largest number if it would overflow: counts from a damaged store or another
  /// computer may be any number.
  public func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
