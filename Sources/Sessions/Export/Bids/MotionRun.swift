internal import Recording

/// The properties of a motion file that are known only after its rows have been written.
struct MotionRun {
  /// Path of the file in the dataset, without the ending `motion.tsv`.
  var stem: String
  /// Times of the first and the last row, in nanoseconds.
  var first: Int64
  var last: Int64
  /// Number of intervals between samples in consecutive rows, by stream.
  var intervals: [Int]
  /// Total length of these intervals in nanoseconds, by stream.
  var spans: [Double]

  init(stem: String, first: Int64, streams: Int) {
    self.stem = stem
    self.first = first
    last = first
    intervals = [Int](repeating: 0, count: streams)
    spans = [Double](repeating: 0, count: streams)
  }

  var seconds: Double { Double(last &- first) / 1e9 }

  /// Samples per second of a stream, measured where no samples are missing; `nil` if there are
  /// fewer than two samples.
  func rate(ofStream index: Int) -> Double? {
    guard intervals[index] > 0, spans[index] > 0 else { return nil }
    return Double(intervals[index]) * 1e9 / spans[index]
  }

  /// The measured rate of the stream with the most samples.
  var rate: Double? {
    intervals.indices.max { intervals[$0] < intervals[$1] }.flatMap(rate(ofStream:))
  }
}
