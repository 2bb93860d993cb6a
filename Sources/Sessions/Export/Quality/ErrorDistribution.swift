internal import Glibc

/// The distribution of position errors. Any number of errors takes the same memory.
public struct ErrorDistribution: Hashable, Sendable {
  private struct Class: Hashable {
    var count = 0
    var sum = 0.0
  }

  /// The upper end of a class is 0.5 % above its lower end.
  private static let ratio = 1.005
  /// The first class begins with 0, and ends at a millimetre. The last one begins at 1,000 km.
  private static let least = 1e-3
  private static let classCount = Int(log(1e9) / log(ratio)) + 2

  private var classes: [Class] = []
  public private(set) var count = 0
  private var smallest = Double.infinity
  /// The largest error in metres; 0 if no error was added.
  public private(set) var largest = 0.0

  public init() {}

  /// `error` is in metres.
  public mutating func add(_ error: Double) {
    guard error.isFinite, error >= 0 else { return }
    if classes.isEmpty { classes = [Class](repeating: Class(), count: Self.classCount) }
    let place =
      error < Self.least ? 0 : 1 + min(log(error / Self.least) / log(Self.ratio), 1e9)
    let index = min(max(0, Int(place)), Self.classCount - 1)
    classes[index].count += 1
    classes[index].sum += error
    count += 1
    smallest = min(smallest, error)
    largest = max(largest, error)
  }

  /// Returns the error, in metres, that this fraction of the errors does not exceed; `nil` if no
  /// error was added.
  ///
  /// The result is the mean of the errors in the same class. It is exact if they are all equal, and
  /// off by less than 0.5 % otherwise.
  public func quantile(_ fraction: Double) -> Double? {
    guard count > 0 else { return nil }
    guard fraction < 1 else { return largest }
    let wanted = fraction * Double(count)
    var sum = 0
    for one in classes where one.count > 0 {
      sum += one.count
      if Double(sum) >= wanted {
        return min(max(smallest, one.sum / Double(one.count)), largest)
      }
    }
    return largest
  }
}
