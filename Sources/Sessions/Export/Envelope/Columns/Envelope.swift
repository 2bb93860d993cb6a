/// The minimum and maximum of each axis in each column of a time range, and the gaps in the range.
///
/// A chart of an envelope looks like a chart of all samples: a line through many samples within one
/// column of pixels covers exactly the range from their minimum to their maximum. The size of an
/// envelope depends only on the chart's width, not on the session's length:
///
///     var envelope = Envelope(ColumnGrid(from: 0, to: 10, columns: 5), axes: 1)
///     envelope.add([0.5], at: 2.5)
///     envelope.add([-1.25], at: 3.9)
///     let range = envelope.range(ofAxis: 0, inColumn: 1)
///
/// Infinite and NaN values are ignored, since no export contains them.
public struct Envelope: Hashable, Sendable {
  public let grid: ColumnGrid
  public let axisCount: Int
  /// Gaps that overlap the time range, in the order in which the recorder detected them.
  public internal(set) var gaps: [EnvelopeGap] = []
  /// The minimum values, grouped by column, one for each axis; infinite if the column has no value.
  private var lowest: [Double]
  private var highest: [Double]

  public init(_ grid: ColumnGrid, axes: Int) {
    self.grid = grid
    axisCount = axes
    lowest = [Double](repeating: .infinity, count: grid.count * axes)
    highest = [Double](repeating: -.infinity, count: grid.count * axes)
  }

  /// Returns the range of an axis's values in a column; `nil` if the column has no value.
  public func range(ofAxis axis: Int, inColumn column: Int) -> ClosedRange<Double>? {
    precondition(axis >= 0 && axis < axisCount, "the axis is outside the envelope")
    let place = column * axisCount + axis
    return lowest[place] <= highest[place] ? lowest[place]...highest[place] : nil
  }

  public func hasValues(inColumn column: Int) -> Bool {
    (0..<axisCount).contains { range(ofAxis: $0, inColumn: column) != nil }
  }

  /// Returns the range of an axis's values over all columns; `nil` if no column has a value.
  public func range(ofAxis axis: Int) -> ClosedRange<Double>? {
    var whole: ClosedRange<Double>?
    for column in 0..<grid.count {
      guard let range = range(ofAxis: axis, inColumn: column) else { continue }
      whole =
        whole.map {
          min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
        } ?? range
    }
    return whole
  }

  /// Adds a sample at a time in seconds since the session's start. A sample outside the grid is
  /// ignored.
  public mutating func add(_ values: [Double], at seconds: Double) {
    precondition(values.count == axisCount, "a sample has one value for each axis")
    guard let column = grid.column(at: ColumnGrid.nanoseconds(seconds)) else { return }
    for axis in values.indices where values[axis].isFinite {
      widen(axis, inColumn: column, to: values[axis]...values[axis])
    }
  }

  /// Adds a summary of samples if they are all in one column, or if they cannot change the
  /// envelope.
  ///
  /// Returns false, and adds nothing, if the samples are in several columns and may widen at least
  /// one of them. The caller must then add the samples individually. Adding a sample twice changes
  /// nothing, so the caller may first add other summaries and then retry.
  public mutating func add(_ bucket: EnvelopeBucket) -> Bool {
    precondition(bucket.ranges.count == axisCount, "a bucket has one range for each axis")
    return add(
      from: ColumnGrid.nanoseconds(bucket.first), to: ColumnGrid.nanoseconds(bucket.last)
    ) { bucket.ranges[$0] }
  }

  /// Adds a summary whose ranges the caller computes, with times in nanoseconds since the session's
  /// start.
  @inline(__always)
  mutating func add(
    from first: Int64, to last: Int64, range: (Int) -> ClosedRange<Double>?
  ) -> Bool {
    guard let columns = grid.columns(from: first, to: last) else { return true }
    let isWhole = columns.count == 1 && first >= grid.first && last < grid.end
    for axis in 0..<axisCount {
      guard let range = range(axis) else { continue }
      if isWhole {
        widen(axis, inColumn: columns.lowerBound, to: range)
      } else if !columns.allSatisfy({ contains(range, axis, inColumn: $0) }) {
        return false
      }
    }
    return true
  }

  @inline(__always)
  func contains(_ range: ClosedRange<Double>, _ axis: Int, inColumn column: Int) -> Bool {
    let place = column * axisCount + axis
    return lowest[place] <= range.lowerBound && range.upperBound <= highest[place]
  }

  @inline(__always)
  mutating func widen(_ axis: Int, inColumn column: Int, to range: ClosedRange<Double>) {
    let place = column * axisCount + axis
    if range.lowerBound < lowest[place] { lowest[place] = range.lowerBound }
    if range.upperBound > highest[place] { highest[place] = range.upperBound }
  }
}

/// A summary of consecutive samples: the times of the first and the last, and the range of each
/// axis.
public struct EnvelopeBucket: Hashable, Sendable {
  /// Time of the first sample, in seconds since the session's start.
  public var first: Double
  /// Time of the last sample, in seconds since the session's start.
  public var last: Double
  /// The minimum and maximum of each axis; `nil` for an axis without values.
  public var ranges: [ClosedRange<Double>?]

  public init(first: Double, last: Double, ranges: [ClosedRange<Double>?]) {
    self.first = first
    self.last = last
    self.ranges = ranges
  }
}
