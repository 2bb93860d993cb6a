/// The last minute of all streams of a recording in columns of 0.1 s, for live charts.
///
/// The recorder adds each sample in a few nanoseconds and without allocating. The memory is fixed:
/// 24 kB per stream. It has no lock of its own. Callers that share it lock around `add` and
/// `columns`, and make no copy, which the next `add` would have to duplicate.
///
///     var live = LiveColumns(streams: 1)
///     live.add(SIMD4(0.5, -1, 0, 0), at: 7.02, stream: 0)
///     live.add(SIMD4(0.25, 1, 0, 0), at: 7.08, stream: 0)
///     live.advance(to: 7.1)
///     let columns = live.columns(ofStream: 0, after: 0)
public struct LiveColumns: Sendable {
  /// Columns kept per stream: a minute.
  public static let capacity = 600
  /// Columns in a second.
  public static let perSecond = 10.0

  /// Marks a slot that has not held a column yet.
  private static let unused = Int.min
  /// A bound far beyond any recording, within which the number of a column is an integer.
  private static let limit = 1e12

  /// The number of the column in each slot. Column *n* of a stream is in slot *n* modulo the
  /// capacity, within the stream's part.
  private var numbers: [Int]
  private var lowest: [SIMD4<Float>]
  private var highest: [SIMD4<Float>]
  /// The newest column of each stream.
  private var newest: [Int]
  /// The first unfinished column, by the time passed to `advance`.
  private var present = LiveColumns.unused

  /// Columns for streams 0 up to `streams`, exclusive.
  public init(streams: Int) {
    let places = streams * Self.capacity
    numbers = [Int](repeating: Self.unused, count: places)
    lowest = [SIMD4<Float>](repeating: SIMD4(), count: places)
    highest = lowest
    newest = [Int](repeating: Self.unused, count: streams)
  }

  public var streamCount: Int { newest.count }

  /// Adds a stream, as when a board joins during a recording. Returns its index.
  public mutating func addStream() -> Int {
    numbers += [Int](repeating: Self.unused, count: Self.capacity)
    lowest += [SIMD4<Float>](repeating: SIMD4(), count: Self.capacity)
    highest += [SIMD4<Float>](repeating: SIMD4(), count: Self.capacity)
    newest.append(Self.unused)
    return newest.count - 1
  }

  /// Adds a sample: its values in the order of the axes; lanes after the last axis are ignored.
  ///
  /// Samples may come in any order. A sample whose column is already finished is still added to it,
  /// and later calls of `columns` return it. Samples older than a minute and values that are not
  /// finite are ignored.
  public mutating func add(_ values: SIMD4<Float>, at seconds: Double, stream: Int) {
    guard seconds.magnitude < Self.limit else { return }
    let number = Int((seconds * Self.perSecond).rounded(.down))
    let place = stream * Self.capacity + Self.remainder(number)
    if numbers[place] != number {
      // The slot has a later column: the sample is older than the ring.
      guard numbers[place] < number else { return }
      numbers[place] = number
      lowest[place] = SIMD4(repeating: .infinity)
      highest[place] = SIMD4(repeating: -.infinity)
      newest[stream] = max(newest[stream], number)
    }
    // The difference is not a number, and so equals nothing, if the value is infinite or not a
    // number.
    let isFinite = (values - values) .== 0
    lowest[place].replace(with: values, where: isFinite .& (values .< lowest[place]))
    highest[place].replace(with: values, where: isFinite .& (values .> highest[place]))
  }

  /// Advances to the present time, in seconds since the session's start. Columns that end by then
  /// are finished, also in streams that have fallen silent.
  public mutating func advance(to seconds: Double) {
    guard seconds.magnitude < Self.limit else { return }
    present = max(present, Int((seconds * Self.perSecond).rounded(.down)))
  }

  /// The finished columns of a stream that end after a time, in order: at most a minute. Columns
  /// without a sample are left out.
  ///
  /// A column is finished when a later one has a sample, or when its end has passed. A caller that
  /// passes the end of the last column to the next call gets each column once.
  public func columns(ofStream stream: Int, after seconds: Double) -> [LiveColumn] {
    let latest = newest[stream]
    guard latest != Self.unused else { return [] }
    // Comparing the ends themselves gives each column once, however they are rounded.
    var columns: [LiveColumn] = []
    for number in latest - Self.capacity + 1..<max(latest, min(present, latest + 1)) {
      let place = stream * Self.capacity + Self.remainder(number)
      let end = Double(number + 1) / Self.perSecond
      guard numbers[place] == number, end > seconds else { continue }
      columns.append(LiveColumn(end: end, lowest: lowest[place], highest: highest[place]))
    }
    return columns
  }

  /// The non-negative remainder of a division by the capacity.
  @inline(__always)
  private static func remainder(_ number: Int) -> Int {
    let remainder = number % capacity
    return remainder < 0 ? remainder + capacity : remainder
  }
}
