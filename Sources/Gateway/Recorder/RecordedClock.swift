internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// The clock entries of a recording, from the system clock and from fixes, and any disagreement
/// between the two.
struct RecordedClock {
  /// Seconds between two checks of the system clock.
  private static let lookSeconds = 10.0

  private var sampler = ClockSampler(floor: WeekRollover.liveFloor)
  private var entries: [ClockTable.Entry] = []
  private var disagreement: ClockTable.Disagreement?
  private var lastLook: BootTime?

  func isLookDue(at now: BootTime) -> Bool {
    lastLook.map { now.seconds(since: $0) >= Self.lookSeconds } ?? true
  }

  /// Checks the system clock. Returns an entry if the clock was set or synchronised since the last
  /// check, which dates the session better.
  mutating func look(
    at pair: (boot: BootTime, utc: UTCTime), isSynchronised: Bool
  ) -> ClockTable.Entry? {
    lastLook = pair.boot
    return sampler.observe(boot: pair.boot, system: pair.utc, isSynchronised: isSynchronised)
  }

  /// The clock entry from a fix; `nil` without one.
  mutating func observe(_ fix: Fix) -> ClockTable.Entry? { sampler.observe(fix) }

  /// The last entry, at the end of the recording.
  mutating func end() -> ClockTable.Entry? { sampler.take() }

  /// Notes an entry. Returns the disagreement of all entries if this entry is the first to show
  /// one.
  mutating func note(_ entry: ClockTable.Entry) -> ClockTable.Disagreement? {
    entries.append(entry)
    guard disagreement == nil, let found = ClockTable(entries).disagreement else { return nil }
    disagreement = found
    return found
  }
}
