internal import Recording
internal import Values

/// A time range of a session, divided into columns of equal width for a chart.
///
/// As in an export, the range includes its start and excludes its end. Bounds are whole
/// nanoseconds, so every program assigns a sample to the same column.
public struct ColumnGrid: Hashable, Sendable {
  /// The maximum number of columns. It suffices for the largest screens, and for charts in
  /// notebooks.
  public static let mostColumns = 10_000
  /// An upper bound on instants in nanoseconds: 73 years, far beyond the end of any session.
  private static let limit: Int64 = 1 << 61

  /// Start of the range, in nanoseconds since the session's start.
  public let first: Int64
  /// Length of the range in nanoseconds, at least 1.
  public let span: Int64
  public let count: Int

  /// Creates a grid of columns between two instants, in seconds since the session's start.
  ///
  /// All arguments are valid: a range whose end precedes its start is extended to one nanosecond,
  /// and there is always at least one column.
  public init(from: Double, to: Double, columns: Int) {
    first = Self.nanoseconds(from)
    span = max(1, Self.nanoseconds(to) - first)
    count = min(max(1, columns), Self.mostColumns)
  }

  /// Converts seconds to whole nanoseconds; 0 for NaN.
  static func nanoseconds(_ seconds: Double) -> Int64 {
    guard seconds.isFinite else { return seconds.isNaN ? 0 : seconds < 0 ? -limit : limit }
    return Int64(min(max((seconds * 1e9).rounded(), Double(-limit)), Double(limit)))
  }

  /// End of the range, exclusive, in nanoseconds since the session's start.
  public var end: Int64 { first + span }

  /// Returns the column that contains an instant in nanoseconds since the session's start; `nil` if
  /// the instant is outside the range.
  public func column(at nanoseconds: Int64) -> Int? {
    guard nanoseconds >= first, nanoseconds < end else { return nil }
    // The product may need more than 64 bits; the quotient is below the number of columns.
    let product = UInt64(nanoseconds - first).multipliedFullWidth(by: UInt64(count))
    return Int(UInt64(span).dividingFullWidth(product).quotient)
  }

  /// Returns the first instant of a column, in nanoseconds since the session's start. If `column`
  /// is the number of columns, returns the end of the range.
  public func start(of column: Int) -> Int64 {
    precondition((0...count).contains(column), "the column is outside the grid")
    let product = UInt64(span).multipliedFullWidth(by: UInt64(column))
    let parts = UInt64(count).dividingFullWidth(product)
    return first + Int64(parts.quotient) + (parts.remainder > 0 ? 1 : 0)
  }

  /// Returns the first instant of a column, in seconds since the session's start.
  public func seconds(of column: Int) -> Double { Double(start(of: column)) / 1e9 }

  /// Returns the columns that overlap a time range with an inclusive end; `nil` if there are none.
  func columns(from start: Int64, to last: Int64) -> ClosedRange<Int>? {
    guard start <= last, start < end, last >= first,
      let low = column(at: max(start, first)), let high = column(at: min(last, end - 1))
    else { return nil }
    return low...high
  }

  /// Returns the nanoseconds from the session's start to an instant, computed in the same way as in
  /// an export.
  static func place(of time: BootTime, in session: Session) -> Int64 {
    time.nanoseconds &- session.start.nanoseconds
  }

  /// Returns the instant at this many nanoseconds since the session's start, clamped to the
  /// representable range.
  static func instant(_ place: Int64, in session: Session) -> BootTime {
    let (sum, isBeyond) = session.start.nanoseconds.addingReportingOverflow(place)
    return BootTime(nanoseconds: isBeyond ? (place < 0 ? .min : .max) : sum)
  }
}
