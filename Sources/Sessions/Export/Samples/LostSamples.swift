/// Consecutive lost samples of a stream, each with the time at which the board took it.
struct LostSamples {
  /// Largest number of samples that one gap can contain. At 100 samples per second, that many
  /// samples would take hundreds of years.
  private static let most = 1e12

  /// The instant before the first sample, in nanoseconds.
  private let start: Int64
  /// Nanoseconds from one sample to the next.
  private let spacing: Double
  private let count: Int64
  /// Number of the next sample, from 1 to `count`.
  private var number: Int64 = 1

  static let none = LostSamples(0, after: 0, spacing: 0)

  /// Places this number of samples at regular intervals after an instant.
  init(_ count: Double, after start: Int64, spacing: Double) {
    self.start = start
    self.spacing = spacing
    self.count = spacing.isFinite ? Int64(min(max(count, 0), Self.most)) : 0
  }

  /// Places the samples that are missing between two samples at equal intervals.
  ///
  /// - Parameters:
  ///   - missing: the number of samples according to the sample numbers. A recorder corrects the
  ///     numbers after a restart, so they agree with the times. If they disagree, as they may in a
  ///     file from another program, the gap is filled at the stream's own period.
  ///   - period: nanoseconds from one sample to the next.
  init(between start: Int64, and end: Int64, missing: Double, period: Double) {
    let (elapsed, isTooLong) = end.subtractingReportingOverflow(start)
    guard !isTooLong, elapsed > 0 else {
      self = .none
      return
    }
    var missing = missing
    let periods = Double(elapsed) / period
    if period > 0, period.isFinite, periods.isFinite,
      !(0.5...1.5).contains(periods / (missing + 1))
    {
      missing = periods.rounded() - 1
    }
    self.init(missing, after: start, spacing: Double(elapsed) / (missing + 1))
  }

  /// Places samples that were lost before the first sample of a stream.
  init(_ count: Double, before end: Int64, period: Double) {
    let length = (count + 1) * period
    guard length.magnitude < 1e18,
      case let (start, isTooEarly) = end.subtractingReportingOverflow(
        Int64(length.rounded())), !isTooEarly
    else {
      self = .none
      return
    }
    self.init(count, after: start, spacing: period)
  }

  /// Returns the time of the next sample in a range of times; `nil` if there is none.
  @inline(__always)
  mutating func next(from lowest: Int64, before limit: Int64) -> Int64? {
    guard number <= count else { return nil }
    return nextInRange(from: lowest, before: limit)
  }

  private mutating func nextInRange(from lowest: Int64, before limit: Int64) -> Int64? {
    if start < lowest, spacing > 0 {
      // A gap of hours before the range is not visited sample by sample.
      let skipped = ((Double(lowest) - Double(start)) / spacing).rounded(.down) - 1
      if skipped > Double(number) { number = Int64(min(skipped, Double(count))) }
    }
    while number <= count {
      let distance = (Double(number) * spacing).rounded()
      let (time, isTooLate) = start.addingReportingOverflow(
        Int64(exactly: distance) ?? .max)
      guard !isTooLate, time < limit else { break }
      number += 1
      if time >= lowest { return time }
    }
    number = count + 1
    return nil
  }
}
