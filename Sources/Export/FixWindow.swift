internal import Recording

/// The stretch of a session's track around the sample being written: two pages of fixes in memory.
///
/// Times may go back a little from one sample to the next, where a stream's clock was fitted anew;
/// the older page covers that.
struct FixWindow {
  private static let pageSize = 4_096

  private let maximumAge: Double
  private var track: FixTrack
  /// Arrival of the last fix in memory.
  private var horizon = BootTime(nanoseconds: .min)
  private var loaded = 0
  private var isAtEnd = false

  init(maximumAge: Double) {
    self.maximumAge = maximumAge
    track = FixTrack(maximumAge: maximumAge)
  }

  /// The position rule of `FixTrack`, over all fixes of the source.
  mutating func position(
    at time: BootTime, in source: borrowing some SessionSource & ~Copyable
  ) throws -> (fix: Fix, age: Double)? {
    while !isAtEnd, horizon <= time {
      let page = try source.fixes(from: loaded, limit: Self.pageSize)
      loaded += page.count
      isAtEnd = page.count < Self.pageSize
      track = FixTrack(track.fixes.suffix(Self.pageSize) + page, maximumAge: maximumAge)
      if let last = track.fixes.last { horizon = last.arrival }
    }
    return track.position(at: time)
  }
}
