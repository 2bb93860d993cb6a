/// The minimum and maximum of each axis of a stream during a tenth of a second.
public struct LiveColumn: Hashable, Sendable {
  /// End of the column, in seconds since the session's start; the column begins 0.1 s earlier.
  public let end: Double
  private let lowest: SIMD4<Float>
  private let highest: SIMD4<Float>

  init(end: Double, lowest: SIMD4<Float>, highest: SIMD4<Float>) {
    self.end = end
    self.lowest = lowest
    self.highest = highest
  }

  /// Returns the range of values of an axis; `nil` if none of its values was finite.
  public func range(ofAxis axis: Int) -> ClosedRange<Float>? {
    lowest[axis] <= highest[axis] ? lowest[axis]...highest[axis] : nil
  }
}
