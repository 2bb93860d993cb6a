extension UInt64 {
  /// Returns the sum, or the largest representable number on overflow. Counts from a damaged store
  /// or another computer can be arbitrarily large.
  public func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
