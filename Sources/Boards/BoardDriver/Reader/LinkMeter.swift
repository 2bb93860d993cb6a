public import Values

/// The connection interval of a link, as far as the arrivals of its packets show it.
public enum AchievedInterval: Hashable, Sendable {
  /// Packets wait for the next connection event, so the interval can be measured.
  case measured(milliseconds: Double)
  /// Each packet finds its own connection event: events are at least as frequent as packets.
  case atMost(milliseconds: Double)

  /// The milliseconds, exact or an upper limit.
  public var milliseconds: Double {
    switch self {
    case .measured(let milliseconds), .atMost(let milliseconds): milliseconds
    }
  }
}

/// The result of measuring a number of packets of a link.
public struct LinkMeasurement: Hashable, Sendable {
  /// The connection interval; `nil` when the arrivals fit no grid.
  public var interval: AchievedInterval?
  /// Arrival of the last packet.
  public var end: BootTime

  /// A measurement of packets up to `end`.
  public init(interval: AchievedInterval?, end: BootTime) {
    self.interval = interval
    self.end = end
  }
}

/// Estimates a link's connection interval from the kernel's arrival stamps, since no property shows
/// it.
///
/// Packets of one connection event ("meeting" in this file) arrive within a few milliseconds.
/// Connection events are a whole number of intervals apart, and an interval is a whole number of
/// steps of 1.25 ms. The largest step that fits the connection events is the interval, unless the
/// sensors' own rates are as regular.
public struct LinkMeter: Sendable {
  /// Number of distances between connection events that make a measurement.
  static let spacingCount = 128
  /// Seconds between packets of one connection event: at most 3 ms with the daemon's own delay,
  /// less than half of the shortest interval.
  static let meetingSeconds = 0.003
  /// A longer distance is a pause, and says nothing about the interval.
  static let longestSeconds = 0.5

  /// Result of the last complete measurement.
  public private(set) var latest: LinkMeasurement?

  /// Number of streams whose own period is followed; no board has more sensors.
  private static let streamCount = 16
  /// Number of distances between packets that are kept to find the period of each stream.
  private static let beatCount = 4 * spacingCount

  private var spacings: [Double] = []
  /// Milliseconds between successive packets of the same stream.
  private var beats: [(stream: Int, milliseconds: Double)] = []
  /// Arrival of the last packet of each stream.
  private var latestOfStream: [BootTime?]
  private var previous: BootTime?
  private var previousStream = 0
  private var meeting = BootTime(nanoseconds: 0)

  /// A meter without packets.
  public init() {
    spacings.reserveCapacity(Self.spacingCount)
    beats.reserveCapacity(Self.beatCount)
    latestOfStream = Array(repeating: nil, count: Self.streamCount)
  }

  /// Takes a sample's arrival. Samples of one packet share their arrival and count once.
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

  /// Starts a measurement with a packet of this stream.
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
  /// Milliseconds by which a connection event may be off the grid.
  private static let tolerance = 1.5
  /// Share of the connection events that must fit the grid: some packets are delayed on their way.
  private static let share = 0.9

  /// The interval that explains the distances between connection events, and between the packets of
  /// each stream.
  private static func interval(
    of spacings: [Double], _ beats: [(stream: Int, milliseconds: Double)]
  ) -> AchievedInterval? {
    let shortest = spacings.sorted()[spacings.count / 10]
    var steps = Int((shortest + tolerance) / step)
    while steps >= shortestSteps {
      if let interval = interval(of: spacings, on: Double(steps) * step) {
        // A sensor's own period is even; packets delayed by the link move from one connection event
        // to another.
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

  /// The grid's step according to the distances; `nil` when they do not fit it.
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
    // Otherwise the neighbouring grid fits better.
    return abs(sum / steps - step) <= Self.step / 2 ? sum / steps : nil
  }

  /// Whether more distances differ from the usual one than chance explains.
  private static func isUneven(_ distances: [Double], by limit: Double) -> Bool {
    guard distances.count > 1 else { return false }
    let usual = distances.sorted()[distances.count / 2]
    let others = distances.count { abs($0 - usual) > limit }
    return Double(others) > (1 - share) * Double(distances.count)
  }
}
