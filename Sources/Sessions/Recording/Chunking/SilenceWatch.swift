internal import Values

/// Observes the lateness before and after the last long pause in a stream's arrivals.
///
/// When a numbering ends, there is no time to observe whether the lateness persists. The packets
/// since the last long silence show sooner whether samples were lost.
struct SilenceWatch: Sendable {
  private struct Silence: Sendable {
    /// The least late packet before the silence.
    var before: LowerEdge.Point
    /// Arrival time of the last packet before the silence.
    var start: BootTime
    /// Arrival time of the first packet after the silence.
    var end: BootTime
    /// The least late packet after the silence.
    var least: LowerEdge.Point
    /// The packet at which the lateness last dropped sharply, as happens when packets delayed by
    /// the link catch up.
    var level: LowerEdge.Point
    /// The time of the packet in `level`, in nanoseconds.
    var lowered: Double
    /// Number of packets since the packet in `level`.
    var packets = 0
    /// The time of the last packet, in nanoseconds.
    var time: Double
  }

  /// Minimum duration of a silence in nanoseconds.
  static let least: Double = 0.25e9
  /// Minimum duration of a silence in packet periods.
  private static let leastPeriods = 6.0
  /// Nanoseconds for which the lateness must persist before a silence is treated as a loss. Packets
  /// that the link held back arrive much faster than the board sends them, so the lateness shrinks.
  /// The connection interval delays other packets by only a few tens of milliseconds.
  private static let staySeconds: Double = 0.2e9
  /// Number of packets during which the lateness must not have shrunk before a silence is treated
  /// as a loss.
  private static let stayPackets = 5
  /// Nanoseconds by which the lateness must decrease before it is considered to be shrinking.
  static let leastDrop: Double = 40e6
  /// Number of packets before a silence among which to search for the least late one.
  private static let packetsBefore = 16

  /// The last packets, in a ring buffer.
  private var latest: [LowerEdge.Point] = []
  /// Index of the next packet to be overwritten in `latest`.
  private var latestPlace = 0
  private var silence: Silence?

  /// Processes the next packet, with its time in nanoseconds.
  ///
  /// - Parameters:
  ///   - slope: nanoseconds by which the sample period exceeds the configured period.
  ///   - period: nanoseconds from one packet to the next.
  mutating func take(
    _ packet: LowerEdge.Point, at time: Double, from last: BootTime, to arrival: BootTime,
    by slope: Double, period: Double
  ) {
    func lateness(_ packet: LowerEdge.Point) -> Double {
      packet.deviation - slope * packet.number
    }
    let long = max(Self.least, Self.leastPeriods * period)
    if Double(arrival.nanoseconds - last.nanoseconds) >= long,
      let before = latest.min(by: { lateness($0) < lateness($1) }),
      lateness(packet) - lateness(before) >= long
    {
      silence = Silence(
        before: before, start: last, end: arrival, least: packet, level: packet, lowered: time,
        time: time)
      latest.removeAll(keepingCapacity: true)
      latestPlace = 0
    } else if var silence {
      silence.time = time
      silence.packets += 1
      if lateness(packet) < lateness(silence.least) { silence.least = packet }
      if lateness(packet) < lateness(silence.level) - max(Self.leastDrop, period / 2) {
        silence.level = packet
        silence.lowered = time
        silence.packets = 0
      }
      self.silence = silence
    }
    if latest.count < Self.packetsBefore {
      latest.append(packet)
    } else {
      latest[latestPlace] = packet
      latestPlace = (latestPlace + 1) % Self.packetsBefore
    }
  }

  /// Discards the silence once its loss has been found, since it cannot explain another loss.
  mutating func forget() { silence = nil }

  /// Returns the nanoseconds by which the lateness grew during the silence, and the arrival times
  /// before and after it. Returns `nil` unless packets have arrived as regularly since the silence
  /// as before it. This condition does not apply if no more packets will arrive (`isAway`).
  func height(
    isAway: Bool, by slope: Double
  ) -> (height: Double, start: BootTime, end: BootTime)? {
    guard let silence,
      isAway
        || silence.packets >= Self.stayPackets && silence.time - silence.lowered >= Self.staySeconds
    else { return nil }
    let height =
      silence.least.deviation - silence.before.deviation
      - slope * (silence.least.number - silence.before.number)
    return (height, silence.start, silence.end)
  }
}
