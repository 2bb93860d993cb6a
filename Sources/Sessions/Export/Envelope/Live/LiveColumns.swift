/// The last minute of all streams of a recording in columns of 0.1 s, for charts of what happens
/// now.
///
/// The recorder adds each sample in a few nanoseconds and without allocating. Its memory does not
/// grow: 24 kB a stream. It has no lock of its own; whoever shares it holds one around `add` and
/// `columns`, and makes no copy, which the next `add` would have to pay for.
///
///     var live = LiveColumns(streams: 1)
///     live.add(SIMD4(0.5, -1, 0, 0), at: 7.02, stream: 0)
///     live.add(SIMD4(0.25, 1, 0, 0), at: 7.08, stream: 0)
///     live.advance(to: 7.1)
///     let columns = live.columns(ofStream: 0, after: 0)
public struct LiveColumns: Sendable {
  /// Columns that are kept of a stream: a minute.
  public static let capacity = 600
  /// Columns in a second.
  public static let perSecond = 10.0

  /// A place that no column has had yet.
  private static let unused = Int.min
  /// A bound far beyond any recording, within which the number of a column is an integer.
  private static let limit = 1e12

  /// The number of the column in each place. Column *n* of a stream is at place *n* modulo the
  /// capacity of the stream's part.
  private var numbers: [Int]
  private var lowest: [SIMD4<Float>]
  private var highest: [SIMD4<Float>]
  /// The newest column of each stream.
  private var newest: [Int]
  /// The first column that is not finished, by the time that was told.
  private var present = LiveColumns.unused

  /// Columns for streams 0 up to `streams`.
  public init(streams: Int) {
    let places = streams * Self.capacity
    numbers = [Int](repeating: Self.unused, count: places)
    lowest = [SIMD4<Float>](repeating: SIMD4(), count: places)
    highest = lowest
    newest = [Int](repeating: Self.unused, count: streams)
  }

  /// Number of streams.
  public var streamCount: Int { newest.count }

  /// Adds a stream, as when a board comes during a recording. Returns its index.
  public mutating func addStream() -> Int {
    numbers += [Int](repeating: Self.unused, count: Self.capacity)
    lowest += [SIMD4<Float>](repeating: SIMD4(), count: Self.capacity)
    highest += [SIMD4<Float>](repeating: SIMD4(), count: Self.capacity)
    newest.append(Self.unused)
    return newest.count - 1
  }

  /// Adds a sample: its values in the order of the axes, with anything after the last one.
  ///
  /// Samples may come in any order. One that comes after its column was finished is still added to
  /// it, for whoever asks later. One that is older than a minute does not count, nor does a value
  /// that is not finite.
  public mutating func add(_ values: SIMD4<Float>, at seconds: Double, stream: Int) {
    guard seconds.magnitude < Self.limit else { return }
    let number = Int((seconds * Self.perSecond).rounded(.down))
    let place = stream * Self.capacity + Self.remainder(number)
    if numbers[place] != number {
      // Its place has a later column: the sample is older than the ring.
      guard numbers[place] < number else { return }
      numbers[place] = number
      lowest[place] = SIMD4(repeating: .infinity)
      highest[place] = SIMD4(repeating: -.infinity)
      newest[stream] = max(newest[stream], number)
    }
    // The difference is not a number where the value is none or infinite, and equal to nothing.
    let isFinite = (values - values) .== 0
    lowest[place].replace(with: values, where: isFinite .& (values .< lowest[place]))
    highest[place].replace(with: values, where: isFinite .& (values .> highest[place]))
  }

  /// Tells the present time, in seconds since the session's start. Columns that end by then are
  /// finished, also those of streams from which nothing comes any more.
  public mutating func advance(to seconds: Double) {
    guard seconds.magnitude < Self.limit else { return }
    present = max(present, Int((seconds * Self.perSecond).rounded(.down)))
  }

  /// The finished columns of a stream that end after a time, in their order: at most those of a
  /// minute. Columns without a sample are left out.
  ///
  /// A column is finished when a later one has a sample, or when its end is over. Whoever gives the
  /// end of the last column at the next call gets each column once.
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

  /// The remainder of a division by the capacity, which is not negative.
  @inline(__always)
  private static func remainder(_ number: Int) -> Int {
    let remainder = number % capacity
    return remainder < 0 ? remainder + capacity : remainder
  }
}
