/// A tenth of a second of one stream: the least and the greatest value of each axis.
public struct LiveColumn: Hashable, Sendable {
  /// End of the column, seconds since the session's start; the column before it ends 0.1 s earlier.
  public let end: Double
  /// The least values, in the order of the axes.
  private let lowest: SIMD4<Float>
  /// The greatest values.
  private let highest: SIMD4<Float>

  init(end: Double, lowest: SIMD4<Float>, highest: SIMD4<Float>) {
    self.end = end
    self.lowest = lowest
    self.highest = highest
  }

  /// The range of an axis; `nil` if no value was finite.
  public func range(ofAxis axis: Int) -> ClosedRange<Float>? {
    lowest[axis] <= highest[axis] ? lowest[axis]...highest[axis] : nil
  }
}
