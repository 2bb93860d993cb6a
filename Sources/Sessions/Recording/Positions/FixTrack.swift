public import Values

/// Assigns positions to samples, using a session's fixes.
///
/// Two fixes are connected if they are at most three receiver cycles apart, without a loss in
/// between. Samples between connected fixes lie on the straight line from one to the other. Any
/// other sample gets the position of the last fix before it, together with the age of that fix,
/// until the fix becomes too old. Before the first fix, a sample has no position.
///
/// The time of a fix is the time at which the receiver was at the position. The fix arrives a few
/// tenths of a second later. If the clock table is not trusted or implies an implausible delay, the
/// arrival time is used.
public struct FixTrack: Sendable {
  /// Default maximum age in seconds of a fix that can provide a sample's position.
  public static let defaultMaximumAge = 10.0
  /// Number of fixes in a page of a long track. Two consecutive pages contain all fixes that
  /// determine a sample's position. Reading the track in pages therefore yields the same positions
  /// as reading all of it.
  public static let pageSize = 4_096
  /// Maximum number of receiver cycles between two fixes that are treated as connected.
  public static let longestGap: Int64 = 3
  /// Nanoseconds assumed between fixes until the receiver's own cycle is known.
  public static let usualCycle: Int64 = 1_000_000_000
  /// A receiver's longest cycle, in nanoseconds.
  static let longestCycle: Int64 = 3_600_000_000_000
  /// Maximum delay of a fix in nanoseconds. A longer delay indicates a clock error.
  private static let longestDelay: Int64 = 2_000_000_000
  /// Maximum speed in metres per second between two fixes that are treated as connected.
  private static let highestSpeed = 500.0
  private static let metresPerDegree = 111_195.0

  /// The fixes in order of arrival.
  public let fixes: [Fix]
  /// The time of each fix in nanoseconds on the boot clock, in ascending order.
  private let times: [Int64]
  /// Nanoseconds between fixes: the median of all intervals.
  public let cycle: Int64
  /// Maximum age in nanoseconds of a fix that can provide a sample's position.
  private let maximumAge: Int64
  /// The time span (`Stretch`) that the last lookup used. Samples are looked up nearly in order, so
  /// hundreds of lookups use the same one.
  private var stretch = Stretch.never
  /// Index of the first fix after the time of the last lookup.
  private var cursor = 0

  /// `fixes` may be in any order. `maximumAge` is in seconds.
  public init(
    _ fixes: [Fix] = [], clock: ClockTable = ClockTable([]),
    maximumAge: Double = FixTrack.defaultMaximumAge
  ) {
    self.fixes = fixes.sorted { $0.arrival < $1.arrival }
    var latest = Int64.min
    times = self.fixes.map { fix in
      latest = max(latest, Self.time(of: fix, clock))
      return latest
    }
    self.maximumAge = Int64((min(maximumAge, 1e8) * 1e9).rounded())
    let steps = zip(times.dropFirst(), times).map { $0 &- $1 }.filter { $0 > 0 }.sorted()
    // With few intervals between fixes, the median may be a gap rather than the receiver's cycle.
    cycle = steps.count < 3 ? Self.usualCycle : min(steps[steps.count / 2], Self.longestCycle)
  }

  /// Returns a fix's time on the boot clock, in nanoseconds.
  private static func time(of fix: Fix, _ clock: ClockTable) -> Int64 {
    let arrival = fix.arrival.nanoseconds
    guard clock.isTrusted, let time = clock.boot(at: fix.utc)?.nanoseconds else { return arrival }
    let (delay, isBeyond) = arrival.subtractingReportingOverflow(time)
    return isBeyond || delay < 0 || delay > longestDelay ? arrival : time
  }

  /// Time of the last fix; `nil` if there are no fixes.
  public var end: BootTime? { times.last.map { BootTime(nanoseconds: $0) } }

  /// Returns a sample's position at this instant, or the reason why it has none. Takes a few
  /// nanoseconds if lookups are in chronological order.
  @inline(__always)
  public mutating func position(at time: BootTime) -> PositionLookup {
    if time.nanoseconds < stretch.start || time.nanoseconds >= stretch.end {
      stretch = findStretch(at: time.nanoseconds)
    }
    return stretch.position(at: time.nanoseconds)
  }

  /// Returns a live sample's position: the position of the last fix received, since the next fix is
  /// not known yet.
  public static func live(
    _ fix: Fix, at time: BootTime, maximumAge: Double = FixTrack.defaultMaximumAge
  ) -> PositionLookup {
    // The radio may delay a sample for longer than the serial line delays a fix. The last fix
    // received may therefore be later than the sample.
    let age = max(0, time.seconds(since: fix.arrival))
    guard age <= maximumAge else { return .absent(.stale) }
    let arrival = fix.arrival.nanoseconds
    return Stretch(last: fix, arrival, to: .max).position(at: max(arrival, time.nanoseconds))
  }

  private mutating func findStretch(at time: Int64) -> Stretch {
    while cursor < times.count, times[cursor] <= time { cursor += 1 }
    while cursor > 0, time < times[cursor - 1] { cursor -= 1 }
    guard cursor > 0 else {
      return Stretch(absence: fixes.isEmpty ? .noReceiver : .noFix, from: .min, to: times.first)
    }
    let (fix, start) = (fixes[cursor - 1], times[cursor - 1])
    let next = cursor < times.count ? (fix: fixes[cursor], time: times[cursor]) : nil
    if let next, isWay(from: fix, start, to: next.fix, next.time) {
      return Stretch(from: fix, start, to: next.fix, next.time)
    }
    let (sum, isBeyond) = start.addingReportingOverflow(maximumAge)
    // A fix exactly as old as the maximum age is still valid.
    let stale = isBeyond ? Int64.max : sum == .max ? sum : sum + 1
    if time < stale {
      return Stretch(last: fix, start, to: min(stale, next?.time ?? .max))
    }
    return Stretch(
      absence: next?.fix.followsLoss == true ? .noFix : .stale, from: stale, to: next?.time)
  }

  /// Whether two fixes are close enough to assume a straight path between them.
  private func isWay(from: Fix, _ start: Int64, to: Fix, _ end: Int64) -> Bool {
    let gap = end &- start
    // In a damaged store, the interval between two fixes may be negative.
    guard !to.followsLoss, gap > 0, gap <= Self.longestGap * cycle, gap <= maximumAge else {
      return false
    }
    // Bhaskara's approximation of the cosine, with an absolute error of at most 1/600.
    let square = from.latitude * from.latitude
    let narrowing = (32_400 - 4 * square) / (32_400 + square)
    let north = (to.latitude - from.latitude) * Self.metresPerDegree
    let east = Self.eastward(from, to) * narrowing * Self.metresPerDegree
    let farthest = Self.highestSpeed * Double(gap) / 1e9
    return north * north + east * east <= farthest * farthest
  }

  /// Returns the difference in longitude between two fixes in degrees, measured in the shorter
  /// direction.
  fileprivate static func eastward(_ from: Fix, _ to: Fix) -> Double {
    let degrees = to.longitude - from.longitude
    return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
  }
}

/// A time span in which all positions derive from the same fixes.
private struct Stretch: Sendable {
  /// Start of the stretch in nanoseconds, inclusive.
  var start: Int64
  /// End of the stretch in nanoseconds, exclusive.
  var end: Int64
  private var absence: PositionTag.Absence?
  /// The position at the fix that begins the stretch.
  private var tag: PositionTag
  /// Time in nanoseconds of the fix that begins the stretch.
  private var origin: Int64
  /// Degrees of latitude per nanosecond since the start of the stretch.
  private var north = 0.0
  /// Degrees of longitude per nanosecond since the start of the stretch.
  private var east = 0.0
  /// Metres of altitude per nanosecond since the start of the stretch.
  private var up = 0.0
  private var errorGrowth = 0.0
  /// The time after which the next fix is closer than the fix that begins the stretch.
  private var middle = Int64.max
  private var later: Fix

  /// An empty stretch, which contains no instant.
  static let never = Stretch(absence: .noReceiver, from: .max, to: .max)

  private static let nowhere = Fix(
    arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0), latitude: .nan,
    longitude: .nan)

  private init(_ fix: Fix, _ start: Int64, _ end: Int64, _ method: PositionTag.Method) {
    self.start = start
    self.end = end
    origin = start
    later = fix
    tag = PositionTag(
      latitude: fix.latitude, longitude: fix.longitude, altitudeMSL: fix.altitudeMSL,
      speed: fix.speed, track: fix.track, quality: fix.quality, ageNanoseconds: 0,
      error: fix.error?.horizontal, method: method)
  }

  init(absence: PositionTag.Absence, from start: Int64, to end: Int64?) {
    self.init(Self.nowhere, start, end ?? .max, .last)
    self.absence = absence
  }

  /// Creates a stretch after a fix that is not connected to the next fix.
  init(last fix: Fix, _ start: Int64, to end: Int64) {
    self.init(fix, start, end, .last)
    errorGrowth = (fix.speed ?? 0) / 1e9
  }

  /// Creates a stretch on the straight line between two fixes.
  init(from fix: Fix, _ start: Int64, to next: Fix, _ end: Int64) {
    self.init(fix, start, end, .interpolated)
    later = next
    let length = Double(end &- start)
    middle = start &+ (end &- start) / 2
    north = (next.latitude - fix.latitude) / length
    east = FixTrack.eastward(fix, next) / length
    if let from = fix.altitudeMSL, let to = next.altitudeMSL { up = (to - from) / length }
    if let from = fix.error?.horizontal, let to = next.error?.horizontal {
      tag.error = max(from, to)
    } else {
      tag.error = fix.error?.horizontal ?? next.error?.horizontal
    }
    if !next.quality.isPlain, fix.quality.isPlain { tag.quality = next.quality }
    if !fix.quality.isPlain, next.quality.isPlain { later.quality = fix.quality }
  }

  /// Returns the position at an instant within the stretch.
  @inline(__always)
  func position(at time: Int64) -> PositionLookup {
    if let absence { return .absent(absence) }
    var tag = tag
    let age = time &- origin
    let elapsed = Double(age)
    tag.ageNanoseconds = age
    tag.latitude += north * elapsed
    tag.longitude += east * elapsed
    if tag.longitude > 180 { tag.longitude -= 360 }
    if tag.longitude < -180 { tag.longitude += 360 }
    if time >= middle {
      tag.quality = later.quality
      tag.speed = later.speed
      tag.track = later.track
      if up == 0 { tag.altitudeMSL = later.altitudeMSL }
    }
    if up != 0, let altitude = self.tag.altitudeMSL { tag.altitudeMSL = altitude + up * elapsed }
    if errorGrowth != 0, let error = tag.error { tag.error = error + errorGrowth * elapsed }
    return .position(tag)
  }
}

extension Fix.Quality {
  /// Whether the receiver determined the position from satellites.
  var isPlain: Bool {
    switch self {
    case .autonomous, .differential, .precise, .realTimeKinematic, .floatRealTimeKinematic: true
    case .estimated, .manual, .simulated: false
    }
  }
}
