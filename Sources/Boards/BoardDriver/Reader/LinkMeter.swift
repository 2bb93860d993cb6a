public import Values

/// How often a board and its adapter meet, as far as the arrivals of its packets tell.
public enum AchievedInterval: Hashable, Sendable {
  /// Packets wait for the next meeting, so its distance shows.
  case measured(milliseconds: Double)
  /// Each packet finds a meeting of its own: there is one at least as often as there are packets.
  case atMost(milliseconds: Double)

  /// The milliseconds, exact or not.
  public var milliseconds: Double {
    switch self {
    case .measured(let milliseconds), .atMost(let milliseconds): milliseconds
    }
  }
}

/// What a stretch of a link's packets told.
public struct LinkMeasurement: Hashable, Sendable {
  /// From meeting to meeting; `nil` when the arrivals lie on no grid.
  public var interval: AchievedInterval?
  /// Arrival of the last packet.
  public var end: BootTime

  /// A measurement of packets up to `end`.
  public init(interval: AchievedInterval?, end: BootTime) {
    self.interval = interval
    self.end = end
  }
}

/// Measures a link by the kernel's arrival stamps, since no property tells its interval.
///
/// What a board sends in one meeting arrives within a few milliseconds, and meetings are a whole
/// number of intervals apart, an interval being a whole number of steps of 1.25 ms. The largest
/// step on which the meetings lie is the interval, unless the packets themselves come as regularly.
public struct LinkMeter: Sendable {
  /// Distances from meeting to meeting that make a measurement.
  static let spacingCount = 128
  /// Seconds between packets of one meeting: three at most with what the daemon adds, less than
  /// half of the shortest interval.
  static let meetingSeconds = 0.003
  /// A longer distance is a pause, and says nothing about the interval.
  static let longestSeconds = 0.5

  /// What the last full stretch told.
  public private(set) var latest: LinkMeasurement?

  /// Streams whose own beat is followed; a board has no more sensors.
  private static let streamCount = 16
  /// Distances from packet to packet that are kept to tell the beat of each stream.
  private static let beatCount = 4 * spacingCount

  /// From meeting to meeting, milliseconds.
  private var spacings: [Double] = []
  /// From packet to packet of the same stream, milliseconds.
  private var beats: [(stream: Int, milliseconds: Double)] = []
  /// Arrival of the last packet of each stream.
  private var latestOfStream: [BootTime?]
  private var previous: BootTime?
  private var previousStream = 0
  private var meeting = BootTime(nanoseconds: 0)

  /// A meter that has seen nothing.
  public init() {
    spacings.reserveCapacity(Self.spacingCount)
    beats.reserveCapacity(Self.beatCount)
    latestOfStream = Array(repeating: nil, count: Self.streamCount)
  }

  /// Takes a sample's arrival. Samples of one packet arrive together and count once.
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

  /// Begins a stretch with a packet of this stream.
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
  /// Milliseconds by which a meeting may lie beside the grid.
  private static let tolerance = 1.5
  /// Part of the meetings that must lie on the grid: some packets are held up on the way here.
  private static let share = 0.9

  /// The interval that explains distances between meetings, and between the packets of each stream.
  private static func interval(
    of spacings: [Double], _ beats: [(stream: Int, milliseconds: Double)]
  ) -> AchievedInterval? {
    let shortest = spacings.sorted()[spacings.count / 10]
    var steps = Int((shortest + tolerance) / step)
    while steps >= shortestSteps {
      if let interval = interval(of: spacings, on: Double(steps) * step) {
        // A sensor's own beat is even; one that the link holds up falls from one meeting to the
        // next.
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

  /// The step of the grid as the distances have it; `nil` when they do not lie on it.
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
    // Else it is the neighbouring grid.
    return abs(sum / steps - step) <= Self.step / 2 ? sum / steps : nil
  }

  /// Whether more distances than chance leaves are off the usual one.
  private static func isUneven(_ distances: [Double], by limit: Double) -> Bool {
    guard distances.count > 1 else { return false }
    let usual = distances.sorted()[distances.count / 2]
    let others = distances.count { abs($0 - usual) > limit }
    return Double(others) > (1 - share) * Double(distances.count)
  }
}
