internal import Recording

/// The stretch of a session's track around the sample being written: two pages of fixes in memory.
///
/// Times may go back a little from one sample to the next, where a stream's clock was fitted anew;
/// the older page covers that.
struct FixWindow {
  static let pageSize = 4_096

  private var track: FixTrack
  /// Arrival of the last fix in memory.
  private var horizon = BootTime(nanoseconds: .min)
  private var loaded = 0
  private var isAtEnd = false
  /// Counts the pages: a place in the track means another fix after each.
  private(set) var generation = 0

  init(maximumAge: Double) {
    track = FixTrack(maximumAge: maximumAge)
  }

  /// Whether more fixes have to be loaded before one can be found for this instant.
  @inline(__always)
  func needsMore(at time: BootTime) -> Bool { !isAtEnd && horizon <= time }

  /// Takes the next page of the source.
  mutating func load(from source: borrowing some SessionSource & ~Copyable) throws {
    let page = try source.fixes(from: loaded, limit: Self.pageSize)
    loaded += page.count
    isAtEnd = page.count < Self.pageSize
    track = FixTrack(track.fixes.suffix(Self.pageSize) + page, maximumAge: track.maximumAge)
    generation += 1
    if let last = track.fixes.last { horizon = last.arrival }
  }

  /// The place of the fix that gives an instant its position, by the rule of `FixTrack`.
  mutating func index(at time: BootTime) -> Int? { track.index(at: time) }

  /// The fix at a place.
  subscript(index: Int) -> Fix { track.fixes[index] }

  /// When the fix at a place arrived.
  func arrival(_ index: Int) -> BootTime { track.fixes[index].arrival }
}
