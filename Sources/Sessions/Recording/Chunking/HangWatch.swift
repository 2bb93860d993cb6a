internal import Values

/// A pause in the packets of a board that counts its samples, until it is known why they paused.
///
/// If the link held the packets back, they arrive much faster than the board sends them, and the
/// lateness shrinks. If the board itself paused, it took no samples, its numbers continue, and the
/// lateness stays up: the samples not taken are counted, and later numbers raised. Otherwise the
/// times of all later samples would be early by the pause.
struct HangWatch: Sendable {
  /// Seconds, and periods, without a sample that may be a pause of the board.
  private static let leastSeconds = 1.0
  private static let leastPeriods = 10.0
  /// Seconds for which the lateness must stay up. At the end of a numbering fewer are enough, if it
  /// has not shrunk at all.
  private static let staySeconds = 3.0
  private static let lastStaySeconds = 0.5
  /// Packets that must have come since it last shrank.
  private static let stayPackets = 5
  /// Seconds by which the lateness must shrink to count as shrinking. A board may be 2 % fast
  /// before its rate is known, and a link that catches up does so faster.
  private static let leastDrop = 0.1
  /// The part of the pause by which the lateness must have grown.
  private static let leastPart = 0.75

  /// Arrivals of the samples before and after the pause.
  let start: BootTime
  let end: BootTime
  /// Number and time of the sample before the pause, and nanoseconds from a sample to the next.
  private let before: (number: UInt32, time: BootTime)
  private let period: Double
  /// The lateness after the pause in seconds: the first, the least, and that after it last shrank.
  private var first: Double?
  private var least = Double.infinity
  private var level = Double.infinity
  /// The arrival at which it last shrank, and the packets since then.
  private var lowered: BootTime
  private var packets = 0

  /// Seconds without a sample of a stream that may be a pause of its board.
  static func leastSeconds(of stream: StreamDescription) -> Double {
    max(leastSeconds, leastPeriods / stream.rate)
  }

  /// A pause between two arrivals, after a sample with this number and time.
  init(
    from start: BootTime, to end: BootTime, after number: UInt32, at time: BootTime, period: Double
  ) {
    (self.start, self.end, self.period) = (start, end, period)
    before = (number, time)
    lowered = end
  }

  /// Takes a sample after the pause. Returns the number of samples that the board did not take,
  /// once it is known; 0 if the link held packets back.
  mutating func take(_ number: UInt32, at arrival: BootTime) -> UInt32? {
    let expected = Double(number &- before.number) * period / 1e9
    let lateness = arrival.seconds(since: before.time) - expected
    first = first ?? lateness
    least = min(least, lateness)
    packets += 1
    if lateness < level - Self.leastDrop {
      (level, lowered, packets) = (lateness, arrival, 0)
    }
    return arrival.seconds(since: lowered) < Self.staySeconds ? nil : verdict
  }

  /// The number of samples not taken, if the numbering ends with the sample of this arrival.
  func last(at arrival: BootTime) -> UInt32 {
    guard let first, first - least < Self.leastDrop,
      arrival.seconds(since: lowered) >= Self.lastStaySeconds
    else { return 0 }
    return verdict
  }

  private var verdict: UInt32 {
    guard packets >= Self.stayPackets, least >= Self.leastPart * end.seconds(since: start) else {
      return 0
    }
    return UInt32((least * 1e9 / period).rounded())
  }
}
