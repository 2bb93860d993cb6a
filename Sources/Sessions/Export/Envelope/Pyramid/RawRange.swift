internal import Recording

/// The raw values of one axis with the least and the greatest value.
struct RawRange: Hashable {
  /// The raw value of the least value.
  var lowest: Int32
  /// The raw value of the greatest value.
  var highest: Int32

  /// A range without values. No range with values has these bounds: the second would be below the
  /// first as an integer, and neither is a finite number as a float.
  static let empty = RawRange(lowest: .max, highest: .min)
}

/// Compares the raw values of a stream by the values that they represent.
struct RawScale {
  private let description: StreamDescription
  /// Whether all raw values are finite and ordered like integers.
  private let isPlain: Bool

  init(_ description: StreamDescription) {
    self.description = description
    isPlain =
      description.rawForm == .integer && description.countsPerUnit > 0
      && (Double(Int32.min) / description.countsPerUnit).isFinite
  }

  /// The range of the values in some rows of a column.
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

  /// The range of floats, or of integers with a scale that no sensor has.
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

  /// The values of a range in the stream's unit; `nil` if it is empty or a bound is not finite.
  func values(_ range: RawRange) -> ClosedRange<Double>? {
    guard range != .empty else { return nil }
    let lowest = description.value(of: range.lowest)
    let highest = description.value(of: range.highest)
    guard lowest <= highest, lowest.isFinite, highest.isFinite else { return nil }
    return lowest...highest
  }
}
