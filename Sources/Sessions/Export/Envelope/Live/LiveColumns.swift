/// The last minute of each stream in a recording, in columns of 0.1 s, for live charts.
///
/// The recorder adds each sample in a few nanoseconds, without allocating. Memory use is fixed at
/// 24 kB per stream. There is no internal lock: callers that share a value must hold a lock around
/// `add` and `columns`. They must not copy the value, since the next `add` would then duplicate its
/// memory.
///
///     var live = LiveColumns(streams: 1)
///     live.add(SIMD4(0.5, -1, 0, 0), at: 7.02, stream: 0)
///     live.add(SIMD4(0.25, 1, 0, 0), at: 7.08, stream: 0)
///     live.advance(to: 7.1)
///     let columns = live.columns(ofStream: 0, after: 0)
public struct LiveColumns: Sendable {
  /// Number of columns stored per stream, enough for one minute.
  public static let capacity = 600
  public static let perSecond = 10.0

  /// Marks a slot that is still empty.
  private static let unused = Int.min
  /// An upper bound on time in seconds, far beyond any recording, so that column numbers fit into
  /// an integer.
  private static let limit = 1e12

  /// The number of the column stored in each slot. Column *n* of a stream is stored in the stream's
  /// slot *n* modulo the capacity.
  private var numbers: [Int]
  private var lowest: [SIMD4<Float>]
  private var highest: [SIMD4<Float>]
  /// The number of each stream's newest column.
  private var newest: [Int]
  /// Number of the current column according to `advance`; earlier columns are finished.
  private var present = LiveColumns.unused

  public init(streams: Int) {
    let places = streams * Self.capacity
    numbers = [Int](repeating: Self.unused, count: places)
    lowest = [SIMD4<Float>](repeating: SIMD4(), count: places)
    highest = lowest
    newest = [Int](repeating: Self.unused, count: streams)
  }

  public var streamCount: Int { newest.count }

  /// Adds a stream, for example when a board joins during a recording, and returns its index.
  public mutating func addStream() -> Int {
    numbers += [Int](repeating: Self.unused, count: Self.capacity)
    lowest += [SIMD4<Float>](repeating: SIMD4(), count: Self.capacity)
    highest += [SIMD4<Float>](repeating: SIMD4(), count: Self.capacity)
    newest.append(Self.unused)
    return newest.count - 1
  }

  /// Adds a sample, with its values in the order of the axes. Lanes after the last axis are
  /// ignored.
  ///
  /// Samples may arrive in any order. A late sample is added to its column even if that column is
  /// finished, and later calls of `columns` include the sample. Samples older than a minute and
  /// values that are not finite are ignored.
  public mutating func add(_ values: SIMD4<Float>, at seconds: Double, stream: Int) {
    guard seconds.magnitude < Self.limit else { return }
    let number = Int((seconds * Self.perSecond).rounded(.down))
    let place = stream * Self.capacity + Self.remainder(number)
    if numbers[place] != number {
      // The slot contains a later column, so the sample is more than a minute old.
      guard numbers[place] < number else { return }
      numbers[place] = number
      lowest[place] = SIMD4(repeating: .infinity)
      highest[place] = SIMD4(repeating: -.infinity)
      newest[stream] = max(newest[stream], number)
    }
    // For an infinite or NaN value, the difference is NaN, and NaN equals no number.
    let isFinite = (values - values) .== 0
    lowest[place].replace(with: values, where: isFinite .& (values .< lowest[place]))
    highest[place].replace(with: values, where: isFinite .& (values .> highest[place]))
  }

  /// Sets the current time, in seconds since the session's start. Columns that have ended by this
  /// time are finished, even in silent streams.
  public mutating func advance(to seconds: Double) {
    guard seconds.magnitude < Self.limit else { return }
    present = max(present, Int((seconds * Self.perSecond).rounded(.down)))
  }

  /// Returns the finished columns of a stream that end after `seconds`, oldest first, covering at
  /// most the last minute. Columns without samples are omitted.
  ///
  /// A column is finished when a later column has a sample, or when its end has passed. To get each
  /// column exactly once, pass the end of the last returned column to the next call.
  public func columns(ofStream stream: Int, after seconds: Double) -> [LiveColumn] {
    let latest = newest[stream]
    guard latest != Self.unused else { return [] }
    // Comparing the ends themselves returns each column exactly once, however the ends are rounded.
    var columns: [LiveColumn] = []
    for number in latest - Self.capacity + 1..<max(latest, min(present, latest + 1)) {
      let place = stream * Self.capacity + Self.remainder(number)
      let end = Double(number + 1) / Self.perSecond
      guard numbers[place] == number, end > seconds else { continue }
      columns.append(LiveColumn(end: end, lowest: lowest[place], highest: highest[place]))
    }
    return columns
  }

  /// Returns the non-negative remainder of a column number divided by the capacity.
  @inline(__always)
  private static func remainder(_ number: Int) -> Int {
    let remainder = number % capacity
    return remainder < 0 ? remainder + capacity : remainder
  }
}
