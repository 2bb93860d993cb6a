internal import Recording
internal import Values

/// Columns of equal width across a stretch of a session, for a chart.
///
/// The stretch includes its first instant and excludes its last one, like that of an export. Bounds
/// are whole nanoseconds, so every program assigns a sample to the same column.
public struct ColumnGrid: Hashable, Sendable {
  /// The most columns: enough for the largest screens and for a notebook.
  public static let mostColumns = 10_000
  /// A bound beyond every instant: 73 years.
  private static let limit: Int64 = 1 << 61

  /// Beginning of the stretch, nanoseconds since the session's start.
  public let first: Int64
  /// Nanoseconds of the stretch, at least 1.
  public let span: Int64
  public let count: Int

  /// Columns from one instant to another, in seconds since the session's start.
  ///
  /// Any numbers give a grid: a stretch that ends before it begins lasts a nanosecond, and there is
  /// at least one column.
  public init(from: Double, to: Double, columns: Int) {
    first = Self.nanoseconds(from)
    span = max(1, Self.nanoseconds(to) - first)
    count = min(max(1, columns), Self.mostColumns)
  }

  /// Whole nanoseconds; 0 for not-a-number.
  static func nanoseconds(_ seconds: Double) -> Int64 {
    guard seconds.isFinite else { return seconds.isNaN ? 0 : seconds < 0 ? -limit : limit }
    return Int64(min(max((seconds * 1e9).rounded(), Double(-limit)), Double(limit)))
  }

  /// End of the stretch, which it excludes, in nanoseconds since the session's start.
  public var end: Int64 { first + span }

  /// The column of an instant in nanoseconds since the session's start; `nil` outside the stretch.
  public func column(at nanoseconds: Int64) -> Int? {
    guard nanoseconds >= first, nanoseconds < end else { return nil }
    // The product may need more than 64 bits; the quotient is below the number of columns.
    let product = UInt64(nanoseconds - first).multipliedFullWidth(by: UInt64(count))
    return Int(UInt64(span).dividingFullWidth(product).quotient)
  }

  /// The first instant of a column, in nanoseconds since the session's start; the number of columns
  /// gives the end of the stretch.
  public func start(of column: Int) -> Int64 {
    precondition((0...count).contains(column), "the column is outside the grid")
    let product = UInt64(span).multipliedFullWidth(by: UInt64(column))
    let parts = UInt64(count).dividingFullWidth(product)
    return first + Int64(parts.quotient) + (parts.remainder > 0 ? 1 : 0)
  }

  /// The first instant of a column, in seconds since the session's start.
  public func seconds(of column: Int) -> Double { Double(start(of: column)) / 1e9 }

  /// The columns that a closed range of time touches; `nil` if it is outside.
  func columns(from start: Int64, to last: Int64) -> ClosedRange<Int>? {
    guard start <= last, start < end, last >= first,
      let low = column(at: max(start, first)), let high = column(at: min(last, end - 1))
    else { return nil }
    return low...high
  }

  /// Nanoseconds since the session's start at an instant of its boot. Subtracts as an export does.
  static func place(of time: BootTime, in session: Session) -> Int64 {
    time.nanoseconds &- session.start.nanoseconds
  }

  /// The instant of the boot at this session time, limited to the representable range.
  static func instant(_ place: Int64, in session: Session) -> BootTime {
    let (sum, isBeyond) = session.start.nanoseconds.addingReportingOverflow(place)
    return BootTime(nanoseconds: isBeyond ? (place < 0 ? .min : .max) : sum)
  }
}
