internal import Recording
internal import Values

/// Keeps two pages of fixes in memory: the part of a session's track around the sample that is
/// being written.
///
/// If a stream's clock was refitted, a sample may be slightly earlier than the previous one. The
/// older of the two pages of fixes covers such samples.
struct FixWindow {
  static let pageSize = FixTrack.pageSize

  private let clock: ClockTable
  private let maximumAge: Double
  private var track: FixTrack
  /// Time of the last fix in memory.
  private var horizon = BootTime(nanoseconds: .min)
  private var loaded = 0
  private var isAtEnd = false

  init(_ clock: ClockTable, maximumAge: Double) {
    self.clock = clock
    self.maximumAge = maximumAge
    track = FixTrack(maximumAge: maximumAge)
  }

  /// Whether more fixes must be loaded before the position at this instant can be determined.
  @inline(__always)
  func needsMore(at time: BootTime) -> Bool { !isAtEnd && horizon <= time }

  mutating func load(from source: some SessionSource) throws {
    let page = try source.fixes(from: loaded, limit: Self.pageSize)
    loaded += page.count
    isAtEnd = page.count < Self.pageSize
    track = FixTrack(
      track.fixes.suffix(Self.pageSize) + page, clock: clock, maximumAge: maximumAge)
    if let end = track.end { horizon = end }
  }

  @inline(__always)
  mutating func position(at time: BootTime) -> PositionLookup { track.position(at: time) }
}
