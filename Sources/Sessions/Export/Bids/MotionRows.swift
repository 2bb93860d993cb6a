/// Joins the samples of streams with the same rate into rows. A row represents an instant, and
/// contains at most one sample of each stream.
///
/// The first sample of a stream, and the first sample after a gap, joins the row whose time differs
/// by at most half a period. If there is no such row, the sample starts a new one. The next sample
/// joins the next row. If the streams have drifted apart by three quarters of a period, the sample
/// is placed as if after a gap. This margin keeps two streams together if they are half a period
/// apart. Otherwise, jitter would repeatedly separate and rejoin them.
///
/// The number of a row counts periods, so a difference of more than one between consecutive rows is
/// a gap in all streams.
struct MotionRows {
  struct Row {
    var number: Int
    /// Time of the earliest sample, in nanoseconds.
    var time: Int64
    /// The time of each stream's sample; `nil` if the row has none.
    var times: [Int64?]
    /// The values of all columns; NaN for absent values.
    var values: [Double]
  }

  /// Difference in periods at which a stream's sample moves to another row.
  private static let drift = 0.75
  /// Number of periods after which a row is complete, even if some streams have no sample in it.
  private static let patience = 2.0

  /// Nanoseconds between two rows; infinite if the rate is unknown.
  let period: Double
  private let width: Int
  /// The row of each stream's latest sample.
  private var latest: [Int]
  private var waiting: [Row] = []
  private var spare: [Row] = []
  /// The number of the last complete row.
  private var last = -1
  /// The row with the highest number so far.
  private var newest: (number: Int, time: Int64)?

  /// Prepares to join this number of streams, whose values are in rows of `width` columns.
  init(rate: Double, streams: Int, width: Int) {
    period = rate > 0 && rate.isFinite ? 1e9 / rate : .infinity
    self.width = width
    latest = [Int](repeating: -1, count: streams)
  }

  /// Adds a sample. `fill` receives the columns of the sample's row. Samples must be added in the
  /// order of their times; a refitted clock may step back slightly.
  mutating func add(_ time: Int64, stream: Int, fill: (inout [Double]) -> Void) {
    let number = number(of: time, stream: stream)
    latest[stream] = number
    let place: Int
    if let found = waiting.lastIndex(where: { $0.number == number }) {
      place = found
    } else {
      place = waiting.firstIndex { $0.number > number } ?? waiting.count
      var row =
        spare.popLast()
        ?? Row(
          number: 0, time: 0, times: [Int64?](repeating: nil, count: latest.count),
          values: [Double](repeating: .nan, count: width))
      (row.number, row.time) = (number, time)
      waiting.insert(row, at: place)
    }
    waiting[place].times[stream] = time
    fill(&waiting[place].values)
    if newest.map({ number > $0.number }) ?? true { newest = (number, time) }
  }

  private func number(of time: Int64, stream: Int) -> Int {
    let next = max(latest[stream], last) + 1
    guard let newest else { return next }
    let periods = Double(time &- newest.time) / period
    let following = latest[stream] + 1
    if latest[stream] >= 0, following == next,
      (Double(following - newest.number) - periods).magnitude <= Self.drift
    {
      return following
    }
    // A clock that jumps by centuries must not overflow the number.
    let steps = Int(max(-1e12, min(1e12, periods.rounded())))
    return max(next, newest.number + steps)
  }

  /// Returns the next row that no sample from `time` onwards can join; `nil` if there is none.
  /// After the last sample, returns the next remaining row.
  mutating func next(before time: Int64?) -> Row? {
    guard let first = waiting.first else { return nil }
    if let time, Double(time &- first.time) < Self.patience * period,
      latest.contains(where: { $0 < first.number })
    {
      // A stream that has ended never completes a row.
      guard waiting.count > Self.mostWaiting else { return nil }
    }
    last = first.number
    return waiting.removeFirst()
  }

  private static let mostWaiting = 8

  /// Reuses the memory of a row that has been written.
  mutating func recycle(_ row: consuming Row) {
    for index in row.times.indices { row.times[index] = nil }
    for index in row.values.indices { row.values[index] = .nan }
    spare.append(row)
  }
}
