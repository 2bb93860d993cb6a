internal import Glibc

/// The distribution of position errors. Any number of errors takes the same memory.
public struct ErrorDistribution: Hashable, Sendable {
  /// Number of classes in which the error doubles, so a class is 4 % wide.
  private static let classesPerDoubling = 16.0
  /// The classes begin at 2⁻¹⁰ m, about a millimetre, and end at 2²⁰ m.
  private static let lowest = -10.0
  private static let classCount = 480

  private var counts = [Int](repeating: 0, count: classCount)
  public private(set) var count = 0
  /// The largest error in metres; 0 without errors.
  public private(set) var largest = 0.0

  public init() {}

  /// Adds an error in metres.
  public mutating func add(_ error: Double) {
    guard error.isFinite, error >= 0 else { return }
    let place = (log2(max(error, 1e-3)) - Self.lowest) * Self.classesPerDoubling
    counts[min(max(0, Int(place)), Self.classCount - 1)] += 1
    count += 1
    largest = max(largest, error)
  }

  /// Returns the error in metres that this fraction of the errors does not exceed, interpolated
  /// within its class; `nil` without errors.
  public func quantile(_ fraction: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = fraction * Double(count)
    var sum = 0
    for (place, count) in counts.enumerated() where count > 0 {
      if Double(sum + count) >= wanted {
        let part = (wanted - Double(sum)) / Double(count)
        return min(
          largest, exp2((Double(place) + part) / Self.classesPerDoubling + Self.lowest))
      }
      sum += count
    }
    return largest
  }
}
