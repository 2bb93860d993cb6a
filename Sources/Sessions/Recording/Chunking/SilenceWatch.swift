internal import Values

/// The last pause of many periods in the arrivals of a stream, and the lateness before and after
/// it.
///
/// When a numbering ends, there is no time to see whether lateness stays up. The packets since a
/// long silence show it sooner.
struct SilenceWatch: Sendable {
  private struct Silence: Sendable {
    /// The least late packet before it.
    var before: LowerEdge.Point
    /// Arrivals of the packets before and after it.
    var start: BootTime
    var end: BootTime
    /// The least late packet since.
    var least: LowerEdge.Point
    /// The last packet that was far less late than those before it, as after packets that the link
    /// held back; its time, and the number of packets since.
    var level: LowerEdge.Point
    var lowered: Double
    var packets = 0
    /// The time of the last packet.
    var time: Double
  }

  /// Nanoseconds, and packet periods, of a silence.
  static let least: Double = 0.25e9
  private static let leastPeriods = 6.0
  /// Nanoseconds, and packets, for which lateness after a silence must not have shrunk, and the
  /// nanoseconds that count as shrinking. Packets that the link held back arrive much faster than
  /// the board sends them, and its turns delay others by some tens of milliseconds.
  private static let staySeconds: Double = 0.2e9
  private static let stayPackets = 5
  static let leastDrop: Double = 40e6
  /// Packets before a silence, of which the least late one counts.
  private static let packetsBefore = 16

  /// The last packets, in no order, and the place for the next one.
  private var latest: [LowerEdge.Point] = []
  private var latestPlace = 0
  private var silence: Silence?

  /// Takes a packet that followed another one, and its time in nanoseconds.
  ///
  /// - Parameters:
  ///   - slope: nanoseconds by which a sample takes longer than configured.
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

  /// Its loss was found, so it explains no other.
  mutating func forget() { silence = nil }

  /// The nanoseconds by which lateness has grown over the silence, and the arrivals around it. It
  /// is `nil` unless packets came as regularly after it as before, or no more packets come.
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
