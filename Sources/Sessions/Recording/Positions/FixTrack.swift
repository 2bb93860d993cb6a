public import Values

/// The fixes of a session in order, and the one rule that assigns a position to a sample.
///
/// A sample between two fixes at most three receiver cycles apart, without a loss in between, is on
/// the straight line between them. Otherwise it has the last fix before it, with its age, until
/// that fix is too old. Before the first fix a sample has no position.
///
/// A fix counts from the time of its position, some tenths of a second before its arrival, if the
/// clock table contains that time; otherwise from its arrival.
public struct FixTrack: Sendable {
  /// Age in seconds above which a fix is no longer used for samples.
  public static let defaultMaximumAge = 10.0
  /// Fixes in a page of a long track. Two consecutive pages are enough around any sample. Readers
  /// that use such pages get the same positions as all others.
  public static let pageSize = 4_096
  /// The most receiver cycles between two fixes for a path between them to be assumed.
  public static let longestGap: Int64 = 3
  /// Nanoseconds between fixes, until the track shows the receiver's own cycle.
  public static let usualCycle: Int64 = 1_000_000_000
  /// The longest cycle of a receiver.
  static let longestCycle: Int64 = 3_600_000_000_000
  /// Nanoseconds that a fix may take to arrive; a longer delay is a clock error.
  private static let longestDelay: Int64 = 2_000_000_000
  /// Metres per second above which two fixes do not form a path.
  private static let highestSpeed = 500.0
  private static let metresPerDegree = 111_195.0

  /// The fixes in order of arrival.
  public let fixes: [Fix]
  /// The time of each fix, in nanoseconds of the boot clock; never decreasing.
  private let times: [Int64]
  /// Nanoseconds between fixes: the median of all steps.
  public let cycle: Int64
  /// Nanoseconds after which a fix is too old to be a position.
  private let maximumAge: Int64
  /// The stretch of the last lookup: samples are looked up nearly in order, hundreds in each
  /// stretch.
  private var stretch = Stretch.never
  /// Index after the last fix found.
  private var cursor = 0

  /// A track of fixes, which are sorted.
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
    // A single step may be a cycle or a gap.
    cycle = steps.count < 3 ? Self.usualCycle : min(steps[steps.count / 2], Self.longestCycle)
  }

  /// Time of a fix on the boot clock, in nanoseconds.
  private static func time(of fix: Fix, _ clock: ClockTable) -> Int64 {
    let arrival = fix.arrival.nanoseconds
    guard clock.isTrusted, let time = clock.boot(at: fix.utc)?.nanoseconds else { return arrival }
    let (delay, isBeyond) = arrival.subtractingReportingOverflow(time)
    return isBeyond || delay < 0 || delay > longestDelay ? arrival : time
  }

  /// Time of the last fix; `nil` without fixes.
  public var end: BootTime? { times.last.map { BootTime(nanoseconds: $0) } }

  /// The position of a sample at this instant, or the reason why it has none. Takes a few
  /// nanoseconds for lookups in time order.
  @inline(__always)
  public mutating func position(at time: BootTime) -> PositionLookup {
    if time.nanoseconds < stretch.start || time.nanoseconds >= stretch.end {
      stretch = findStretch(at: time.nanoseconds)
    }
    return stretch.position(at: time.nanoseconds)
  }

  /// The position of a live sample: the last fix that has arrived, since the next one is not known
  /// yet.
  public static func live(
    _ fix: Fix, at time: BootTime, maximumAge: Double = FixTrack.defaultMaximumAge
  ) -> PositionLookup {
    // The radio may delay a sample for longer than the serial line delays a fix.
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
    // A fix of exactly the maximum age is not too old.
    let stale = isBeyond ? Int64.max : sum == .max ? sum : sum + 1
    if time < stale {
      return Stretch(last: fix, start, to: min(stale, next?.time ?? .max))
    }
    return Stretch(
      absence: next?.fix.followsLoss == true ? .noFix : .stale, from: stale, to: next?.time)
  }

  /// Whether a sample between two fixes is assumed to be on the path between them.
  private func isWay(from: Fix, _ start: Int64, to: Fix, _ end: Int64) -> Bool {
    let gap = end &- start
    // A damaged store may give a negative gap.
    guard !to.followsLoss, gap > 0, gap <= Self.longestGap * cycle, gap <= maximumAge else {
      return false
    }
    // Bhaskara's cosine, with an error of a part in six hundred.
    let square = from.latitude * from.latitude
    let narrowing = (32_400 - 4 * square) / (32_400 + square)
    let north = (to.latitude - from.latitude) * Self.metresPerDegree
    let east = Self.eastward(from, to) * narrowing * Self.metresPerDegree
    let farthest = Self.highestSpeed * Double(gap) / 1e9
    return north * north + east * east <= farthest * farthest
  }

  /// Degrees of longitude from one fix to another, in the shorter direction.
  fileprivate static func eastward(_ from: Fix, _ to: Fix) -> Double {
    let degrees = to.longitude - from.longitude
    return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
  }
}

/// A time span whose positions follow from the same fixes.
private struct Stretch: Sendable {
  /// The first instant of the stretch, and the first one after it.
  var start: Int64
  var end: Int64
  private var absence: PositionTag.Absence?
  /// The position at the fix before.
  private var tag: PositionTag
  /// Time of that fix.
  private var origin: Int64
  /// Changes per nanosecond since that fix.
  private var north = 0.0
  private var east = 0.0
  private var up = 0.0
  private var errorGrowth = 0.0
  /// From this time on the next fix is the nearer one.
  private var middle = Int64.max
  private var later: Fix

  /// A stretch that contains no instant.
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

  /// A stretch without a position.
  init(absence: PositionTag.Absence, from start: Int64, to end: Int64?) {
    self.init(Self.nowhere, start, end ?? .max, .last)
    self.absence = absence
  }

  /// A stretch after a fix without a path to the next one.
  init(last fix: Fix, _ start: Int64, to end: Int64) {
    self.init(fix, start, end, .last)
    errorGrowth = (fix.speed ?? 0) / 1e9
  }

  /// A stretch between two fixes.
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

  /// The position at an instant of the stretch.
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
