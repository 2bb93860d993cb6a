/// The uncertainty about when packets were ready, caused by the connection intervals of a link.
///
/// A link carries packets only at its turns, one in each interval. If packets become ready at
/// nearly a multiple of the interval, each waits as long as the previous one, for seconds or
/// minutes. All of them then seem late although none is. Only packets that were ready at every
/// phase of the interval show how late the least late one is. The interval is unknown; packets of
/// different turns are multiples of it apart.
struct LinkTurns: Sendable {
  /// Intervals are multiples of 1.25 ms, from 7.5 ms to the longest that hosts request.
  private static let step = 1.25e6
  private static let steps = 6...80
  /// Nanoseconds by which a pause may differ from a multiple of the interval, since packets of one
  /// turn are stamped one by one.
  private static let jitter = 0.9e6
  /// Nanoseconds of the longest pause that is considered.
  private static let longestPause = 1e9
  /// The most pauses in memory, and the fewest that are significant.
  private static let memory = 256
  private static let leastPauses = 16
  /// More packets cover no further phases.
  private static let mostPackets = 20_000

  /// The latest pauses between packets of different turns, in nanoseconds, and the index of the
  /// next one to be overwritten.
  private var pauses: [Double] = []
  private var next = 0

  /// Adds the nanoseconds between two packets.
  mutating func note(pause: Double) {
    guard pause > 2 * Self.jitter, pause < Self.longestPause else { return }
    if pauses.count < Self.memory {
      pauses.append(pause)
    } else {
      pauses[next] = pause
      next = (next + 1) % Self.memory
    }
  }

  /// By how much the least late of this many packets may be late without a loss, in steps of `bin`.
  /// All times are in nanoseconds.
  func uncertainty(packets: Int, period: Double, bin: Double) -> Double {
    uncertainty(packets: packets, period: period, bin: bin, on: intervals)
  }

  /// Whether the uncertainty is at most `limit`, for all periods within the fraction `tilt` of this
  /// one.
  func isCertain(
    to limit: Double, packets: Int, period: Double, tilt: Double, bin: Double
  ) -> Bool {
    let intervals = intervals
    return stride(from: -1, through: 1, by: 0.25).allSatisfy { part in
      uncertainty(
        packets: packets, period: period * (1 + part * tilt), bin: bin, on: intervals) <= limit
    }
  }

  private func uncertainty(
    packets: Int, period: Double, bin: Double, on intervals: [Double]
  ) -> Double {
    var longest = 0.0
    for interval in intervals where interval > longest {
      let gap = Self.longestGap(
        packets: min(packets, Self.mostPackets), period: period, interval: interval, bin: bin)
      longest = max(longest, min(gap, interval))
    }
    return longest
  }

  /// The possible intervals of the link, the longest first; it leaves the greatest uncertainty.
  private var intervals: [Double] {
    let all = Self.steps.reversed().map { Double($0) * Self.step }
    guard pauses.count >= Self.leastPauses else { return all }
    let others = all.map { interval in
      pauses.count { pause in
        (pause - (pause / interval).rounded() * interval).magnitude > Self.jitter
      }
    }
    // A busy host stamps packets late: the true interval explains nearly as many pauses as the best
    // one.
    let most = max(pauses.count / 16, (others.min() ?? 0) + pauses.count / 16)
    return zip(all, others).filter { $0.1 <= most }.map(\.0)
  }

  /// The longest stretch of an interval in which none of the packets becomes ready.
  private static func longestGap(
    packets: Int, period: Double, interval: Double, bin: Double
  ) -> Double {
    let count = Int((interval / bin).rounded(.up))
    guard count > 1 else { return interval }
    var isHit = [Bool](repeating: false, count: count)
    var left = count
    var phase = 0.0
    let advance = period.truncatingRemainder(dividingBy: interval)
    var packet = 0
    while packet < packets, left > 0 {
      packet += 1
      let place = min(count - 1, Int(phase / bin))
      if !isHit[place] {
        isHit[place] = true
        left -= 1
      }
      phase += advance
      if phase >= interval { phase -= interval }
    }
    // Around the circle, from the first hit.
    guard let first = isHit.firstIndex(of: true) else { return interval }
    var longest = 0
    var gap = 0
    for place in 1...count {
      gap = isHit[(first + place) % count] ? 0 : gap + 1
      longest = max(longest, gap)
    }
    return Double(longest + 1) * bin
  }
}
