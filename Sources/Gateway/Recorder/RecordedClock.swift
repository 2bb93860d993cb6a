internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// Collects a recording's clock entries from the system clock and from fixes, and detects a
/// disagreement between these two sources.
struct RecordedClock {
  /// Seconds between checks of the system clock.
  private static let lookSeconds = 10.0

  private var sampler = ClockSampler(floor: WeekRollover.liveFloor)
  private var entries: [ClockTable.Entry] = []
  private var disagreement: ClockTable.Disagreement?
  private var lastLook: BootTime?

  func isLookDue(at now: BootTime) -> Bool {
    lastLook.map { now.seconds(since: $0) >= Self.lookSeconds } ?? true
  }

  /// Checks the system clock. Returns an entry at the first check, and later if the clock has moved
  /// or become synchronised since the last entry.
  mutating func look(
    at pair: (boot: BootTime, utc: UTCTime), isSynchronised: Bool
  ) -> ClockTable.Entry? {
    lastLook = pair.boot
    return sampler.observe(boot: pair.boot, system: pair.utc, isSynchronised: isSynchronised)
  }

  /// Returns a clock entry based on a fix, or `nil` if the fix does not provide an entry.
  mutating func observe(_ fix: Fix) -> ClockTable.Entry? { sampler.observe(fix) }

  /// Returns the final entry when the recording ends, or `nil` if none is due.
  mutating func end() -> ClockTable.Entry? { sampler.take() }

  /// Records a clock entry. If it is the first to show that the system clock and the fixes
  /// disagree, returns the disagreement.
  mutating func note(_ entry: ClockTable.Entry) -> ClockTable.Disagreement? {
    entries.append(entry)
    guard disagreement == nil, let found = ClockTable(entries).disagreement else { return nil }
    disagreement = found
    return found
  }
}
