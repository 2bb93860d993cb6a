internal import Values

/// Observes the packets after a pause, in a stream with numbered packets, until the cause of the
/// pause is known.
///
/// If the link delayed the packets, they now arrive much faster than the board sends them, and the
/// lateness shrinks. If the board itself paused, it took no samples, its numbers continue, and the
/// lateness persists. The samples that the board did not take are then counted, and later numbers
/// are raised. Otherwise, the times of all later samples would be too early by the length of the
/// pause.
struct HangWatch: Sendable {
  /// Minimum number of seconds without a sample after which the board itself may have paused.
  private static let leastSeconds = 1.0
  /// Minimum number of sample periods without a sample after which the board itself may have
  /// paused.
  private static let leastPeriods = 10.0
  /// Seconds for which the lateness must persist before the board is assumed to have paused.
  private static let staySeconds = 3.0
  /// Replaces `staySeconds` if the numbering has ended and the lateness has not shrunk.
  private static let lastStaySeconds = 0.5
  /// Minimum number of samples that must arrive without a decrease in lateness before the board is
  /// assumed to have paused.
  private static let stayPackets = 5
  /// Seconds by which the lateness must decrease before it is considered to be shrinking. A board
  /// may be 2 % fast before its rate is known, and a link that is catching up delivers packets even
  /// faster.
  private static let leastDrop = 0.1
  /// Minimum increase in lateness from which a pause of the board is inferred, as a fraction of the
  /// pause's length.
  private static let leastPart = 0.75

  /// Arrival time of the last sample before the pause.
  let start: BootTime
  /// Arrival time of the first sample after the pause.
  let end: BootTime
  /// Number and time of the last sample before the pause.
  private let before: (number: UInt32, time: BootTime)
  /// Nanoseconds between consecutive samples.
  private let period: Double
  /// Lateness of the first sample after the pause, in seconds.
  private var first: Double?
  /// The smallest lateness since the pause, in seconds.
  private var least = Double.infinity
  /// The lateness after its last decrease of more than `leastDrop`, in seconds.
  private var level = Double.infinity
  /// The arrival time at which the lateness last shrank.
  private var lowered: BootTime
  /// Number of samples since the lateness last shrank.
  private var packets = 0

  /// Returns the minimum number of seconds without a sample after which the stream's board itself
  /// may have paused.
  static func leastSeconds(of stream: StreamDescription) -> Double {
    max(leastSeconds, leastPeriods / stream.rate)
  }

  /// `number` and `time` describe the last sample before the pause.
  init(
    from start: BootTime, to end: BootTime, after number: UInt32, at time: BootTime, period: Double
  ) {
    (self.start, self.end, self.period) = (start, end, period)
    before = (number, time)
    lowered = end
  }

  /// Processes a sample after the pause. Returns the number of samples that the board did not take,
  /// or 0 if the link delayed the packets; `nil` until this is known.
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

  /// Returns the number of samples that the board did not take, if the numbering ends with the
  /// sample that arrived at `arrival`.
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
