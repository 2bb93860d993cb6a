public import Values

/// The connection interval of a link, derived from the arrival times of its packets.
public enum AchievedInterval: Hashable, Sendable {
  /// The interval was measured. Packets wait for the next connection event, so their arrival times
  /// reveal the interval.
  case measured(milliseconds: Double)
  /// Only an upper limit is known. Packets show no noticeable wait for a connection event, so
  /// connection events are at least as frequent as packets.
  case atMost(milliseconds: Double)

  /// The interval in milliseconds: the measured value, or the upper limit.
  public var milliseconds: Double {
    switch self {
    case .measured(let milliseconds), .atMost(let milliseconds): milliseconds
    }
  }
}

/// The result of measuring a link over a number of packets.
public struct LinkMeasurement: Hashable, Sendable {
  /// The connection interval, or `nil` if no interval explains the arrival times.
  public var interval: AchievedInterval?
  /// Arrival time of the last packet in the measurement.
  public var end: BootTime

  public init(interval: AchievedInterval?, end: BootTime) {
    self.interval = interval
    self.end = end
  }
}

/// Estimates a link's connection interval from the kernel's arrival timestamps, because BlueZ does
/// not expose the interval.
///
/// Packets in the same connection event ("meeting" in this file) arrive within a few milliseconds.
/// Connection events are a whole number of intervals apart, and an interval is a multiple of 1.25
/// ms. The interval is the step of the coarsest grid that fits the connection events. If each
/// sensor's packets arrive at regular intervals, this step is only an upper limit.
public struct LinkMeter: Sendable {
  /// Number of spacings between connection events in one measurement.
  static let spacingCount = 128
  /// Maximum time, in seconds, between packets of the same connection event. The largest value
  /// measured was 3 ms, including the daemon's delay. This is less than half of the shortest
  /// interval.
  static let meetingSeconds = 0.003
  /// Maximum time, in seconds, between connection events. A longer spacing is a pause and reveals
  /// nothing about the interval.
  static let longestSeconds = 0.5

  /// Result of the last complete measurement, or `nil` if none has been completed.
  public private(set) var latest: LinkMeasurement?

  /// Maximum number of streams whose periods are tracked. No board has more sensors.
  private static let streamCount = 16
  /// Maximum number of packet spacings stored to determine the streams' periods.
  private static let beatCount = 4 * spacingCount

  private var spacings: [Double] = []
  /// Milliseconds between successive packets of the same stream.
  private var beats: [(stream: Int, milliseconds: Double)] = []
  /// Arrival time of each stream's last packet, or `nil` before the first packet.
  private var latestOfStream: [BootTime?]
  private var previous: BootTime?
  private var previousStream = 0
  private var meeting = BootTime(nanoseconds: 0)

  public init() {
    spacings.reserveCapacity(Self.spacingCount)
    beats.reserveCapacity(Self.beatCount)
    latestOfStream = Array(repeating: nil, count: Self.streamCount)
  }

  /// Records the arrival of a sample. Samples in the same packet have the same arrival time and are
  /// counted once.
  public mutating func take(_ arrival: BootTime, stream number: UInt8) {
    let stream = Int(number) % Self.streamCount
    guard let previous else { return start(at: arrival, stream) }
    if arrival == previous, stream == previousStream { return }
    let spacing = arrival.seconds(since: meeting)
    guard spacing <= Self.longestSeconds else { return start(at: arrival, stream) }
    self.previous = arrival
    previousStream = stream
    if let latest = latestOfStream[stream], beats.count < Self.beatCount {
      beats.append((stream, arrival.seconds(since: latest) * 1_000))
    }
    latestOfStream[stream] = arrival
    if arrival.seconds(since: previous) < Self.meetingSeconds { return }
    meeting = arrival
    spacings.append(spacing * 1_000)
    guard spacings.count == Self.spacingCount else { return }
    latest = LinkMeasurement(interval: Self.interval(of: spacings, beats), end: arrival)
    start(at: arrival, stream)
  }

  /// Starts a new measurement with a packet of this stream.
  private mutating func start(at arrival: BootTime, _ stream: Int) {
    spacings.removeAll(keepingCapacity: true)
    beats.removeAll(keepingCapacity: true)
    for other in latestOfStream.indices { latestOfStream[other] = nil }
    latestOfStream[stream] = arrival
    previous = arrival
    previousStream = stream
    meeting = arrival
  }

  // MARK: The grid

  private static let step = 1.25
  private static let shortestSteps = 6
  /// Maximum deviation, in milliseconds, of a spacing between connection events from a whole number
  /// of intervals.
  private static let tolerance = 1.5
  /// Fraction of the spacings between connection events that must be close to a whole number of
  /// intervals. Transmission delays may distort the rest.
  private static let share = 0.9

  /// Returns the interval that explains the spacings of the connection events and of each stream's
  /// packets.
  private static func interval(
    of spacings: [Double], _ beats: [(stream: Int, milliseconds: Double)]
  ) -> AchievedInterval? {
    let shortest = spacings.sorted()[spacings.count / 10]
    var steps = Int((shortest + tolerance) / step)
    while steps >= shortestSteps {
      if let interval = interval(of: spacings, on: Double(steps) * step) {
        // A sensor produces packets at regular intervals. A link that delays packets moves them
        // from one connection event to another, so the packets are no longer evenly spaced.
        let last = beats.map(\.stream).max() ?? 0
        let isHeldUp = (0...last).contains { stream in
          isUneven(beats.filter { $0.stream == stream }.map(\.milliseconds), by: interval / 2)
        }
        return isHeldUp ? .measured(milliseconds: interval) : .atMost(milliseconds: interval)
      }
      steps -= 1
    }
    return nil
  }

  /// Returns the connection interval, averaged over the spacings that are close to a multiple of
  /// `step`. Returns `nil` if too few of them are, or if another interval fits better.
  private static func interval(of spacings: [Double], on step: Double) -> Double? {
    var sum = 0.0
    var steps = 0.0
    var fitting = 0
    for spacing in spacings {
      let count = (spacing / step).rounded()
      guard count >= 1, abs(spacing - count * step) <= tolerance else { continue }
      fitting += 1
      sum += spacing
      steps += count
    }
    guard Double(fitting) >= share * Double(spacings.count) else { return nil }
    // If the mean deviates from `step` by more than this, the next longer or shorter interval fits
    // better.
    return abs(sum / steps - step) <= Self.step / 2 ? sum / steps : nil
  }

  /// Whether the times between packets are irregular: more than a tenth of them deviate from the
  /// median by over `limit`.
  private static func isUneven(_ distances: [Double], by limit: Double) -> Bool {
    guard distances.count > 1 else { return false }
    let usual = distances.sorted()[distances.count / 2]
    let others = distances.count { abs($0 - usual) > limit }
    return Double(others) > (1 - share) * Double(distances.count)
  }
}
