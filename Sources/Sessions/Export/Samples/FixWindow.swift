internal import Recording
internal import Values

/// The part of a session's track around the sample being written: two pages of fixes in memory.
///
/// Times may go back a little from one sample to the next, if a stream's clock was fitted again;
/// the older page covers these times.
struct FixWindow {
  static let pageSize = FixTrack.pageSize

  private let clock: ClockTable
  private let maximumAge: Double
  private var track: FixTrack
  /// Instant of the last fix in memory.
  private var horizon = BootTime(nanoseconds: .min)
  private var loaded = 0
  private var isAtEnd = false

  init(_ clock: ClockTable, maximumAge: Double) {
    self.clock = clock
    self.maximumAge = maximumAge
    track = FixTrack(maximumAge: maximumAge)
  }

  /// Whether more fixes have to be loaded before the fix after this instant is in memory.
  @inline(__always)
  func needsMore(at time: BootTime) -> Bool { !isAtEnd && horizon <= time }

  /// Loads the next page of the source.
  mutating func load(from source: some SessionSource) throws {
    let page = try source.fixes(from: loaded, limit: Self.pageSize)
    loaded += page.count
    isAtEnd = page.count < Self.pageSize
    track = FixTrack(
      track.fixes.suffix(Self.pageSize) + page, clock: clock, maximumAge: maximumAge)
    if let end = track.end { horizon = end }
  }

  /// The position of a sample at this instant, by the rule of `FixTrack`.
  @inline(__always)
  mutating func position(at time: BootTime) -> PositionLookup { track.position(at: time) }
}
