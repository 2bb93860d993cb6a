/// Picks the clock entries worth storing from the fixes of a session: one a minute.
///
/// A fix arrives after the instant it speaks of, by an amount that varies; of each minute the one
/// that waited least counts.
public struct ClockSampler: Sendable {
  private static let window: Int64 = 60_000_000_000

  private var best: ClockTable.Entry?
  private var opened: BootTime?

  /// A sampler that has seen nothing.
  public init() {}

  /// Takes a fix; returns the entry of the minute that it ends.
  public mutating func observe(_ fix: Fix) -> ClockTable.Entry? {
    var finished: ClockTable.Entry?
    if let opened, fix.arrival.nanoseconds - opened.nanoseconds >= Self.window {
      finished = take()
    }
    let entry = ClockTable.Entry(boot: fix.arrival, utc: fix.utc, source: .satellites)
    if let best, offset(best) >= offset(entry) { return finished }
    if opened == nil { opened = fix.arrival }
    best = entry
    return finished
  }

  /// The entry of the minute that has begun, at the end of a session.
  public mutating func take() -> ClockTable.Entry? {
    defer {
      best = nil
      opened = nil
    }
    return best
  }

  private func offset(_ entry: ClockTable.Entry) -> Int64 {
    entry.utc.nanoseconds - entry.boot.nanoseconds
  }
}
