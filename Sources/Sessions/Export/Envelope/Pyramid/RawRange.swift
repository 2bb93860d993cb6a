internal import Recording

/// The raw values that represent the smallest and the largest physical value of an axis.
struct RawRange: Hashable {
  var lowest: Int32
  var highest: Int32

  /// A range without values. No real range has these bounds: as integers, the upper bound is less
  /// than the lower bound, and as a float, the lower bound is NaN.
  static let empty = RawRange(lowest: .max, highest: .min)
}

/// Compares the raw values of a stream by the physical values that they represent.
struct RawScale {
  private let description: StreamDescription
  /// Whether all raw values are finite, and a larger raw value always represents a larger physical
  /// value.
  private let isPlain: Bool

  init(_ description: StreamDescription) {
    self.description = description
    isPlain =
      description.rawForm == .integer && description.countsPerUnit > 0
      && (Double(Int32.min) / description.countsPerUnit).isFinite
  }

  func range(of column: [Int32], _ rows: Range<Int>) -> RawRange {
    guard isPlain else { return rangeByValue(of: column, rows) }
    var (lowest, highest) = (Int32.max, Int32.min)
    for row in rows {
      let raw = column[row]
      lowest = min(lowest, raw)
      highest = max(highest, raw)
    }
    return RawRange(lowest: lowest, highest: highest)
  }

  /// Returns the range of floats, or of integers with an unusual scale that no known sensor uses.
  private func rangeByValue(of column: [Int32], _ rows: Range<Int>) -> RawRange {
    var range = RawRange.empty
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for row in rows {
      let value = description.value(of: column[row])
      guard value.isFinite else { continue }
      if value < least {
        least = value
        range.lowest = column[row]
      }
      if value > greatest {
        greatest = value
        range.highest = column[row]
      }
    }
    return range
  }

  /// Converts a range to the stream's unit; `nil` if the range is empty or a bound is not finite.
  func values(_ range: RawRange) -> ClosedRange<Double>? {
    guard range != .empty else { return nil }
    let lowest = description.value(of: range.lowest)
    let highest = description.value(of: range.highest)
    guard lowest <= highest, lowest.isFinite, highest.isFinite else { return nil }
    return lowest...highest
  }
}
