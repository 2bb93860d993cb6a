/// Estimates the uncertainty that a link's connection interval causes in the times at which packets
/// became ready to be sent.
///
/// A link transmits packets only at its turns, once per connection interval. If the packets' period
/// is close to a multiple of the interval, each packet waits as long as the previous one, for
/// seconds or minutes. All packets then seem late, although nothing was lost. The delay of the
/// least late packet is known only if packets became ready at all times between two turns. The
/// interval is unknown, but the times between packets of different turns are multiples of it.
struct LinkTurns: Sendable {
  /// Unit of connection intervals in nanoseconds: 1.25 ms.
  private static let step = 1.25e6
  /// The possible lengths of a connection interval, from 7.5 ms to the longest that hosts request,
  /// in units of `step`.
  private static let steps = 6...80
  /// Nanoseconds by which a pause between packets may differ from a multiple of the connection
  /// interval. Packets that are sent together are timestamped one after another.
  private static let jitter = 0.9e6
  /// Pauses between packets that are longer than this many nanoseconds are ignored.
  private static let longestPause = 1e9
  /// Maximum number of pauses between packets to remember.
  private static let memory = 256
  /// Minimum number of pauses between packets needed to infer the connection interval.
  private static let leastPauses = 16
  /// Maximum number of packets to simulate. More packets would not change the result.
  private static let mostPackets = 20_000

  /// The latest pauses between packets that were not sent together, in nanoseconds.
  private var pauses: [Double] = []
  /// Index of the next pause to be overwritten.
  private var next = 0

  /// Adds a pause between two packets, in nanoseconds.
  mutating func note(pause: Double) {
    guard pause > 2 * Self.jitter, pause < Self.longestPause else { return }
    if pauses.count < Self.memory {
      pauses.append(pause)
    } else {
      pauses[next] = pause
      next = (next + 1) % Self.memory
    }
  }

  /// Returns how late the least late of this many packets may be even if nothing was lost. The
  /// result is rounded to steps of `bin`. All times are in nanoseconds.
  func uncertainty(packets: Int, period: Double, bin: Double) -> Double {
    uncertainty(packets: packets, period: period, bin: bin, on: intervals)
  }

  /// Whether the uncertainty is at most `limit` for all periods that differ from `period` by at
  /// most the fraction `tilt`.
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

  /// The link's possible intervals, longest first, since long intervals cause the greatest
  /// uncertainty.
  private var intervals: [Double] {
    let all = Self.steps.reversed().map { Double($0) * Self.step }
    guard pauses.count >= Self.leastPauses else { return all }
    let others = all.map { interval in
      pauses.count { pause in
        (pause - (pause / interval).rounded() * interval).magnitude > Self.jitter
      }
    }
    // A busy host timestamps packets late, so the true connection interval may explain slightly
    // fewer pauses between packets than the best-fitting interval does.
    let most = max(pauses.count / 16, (others.min() ?? 0) + pauses.count / 16)
    return zip(all, others).filter { $0.1 <= most }.map(\.0)
  }

  /// Returns the longest part of a connection interval, in nanoseconds, in which none of the
  /// packets becomes ready.
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
    // Each interval ends where the next one begins, so start the search at the first part in which
    // a packet becomes ready.
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
