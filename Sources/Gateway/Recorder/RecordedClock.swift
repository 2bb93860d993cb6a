internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// The clock entries of a recording, from the system clock and from fixes, and any disagreement
/// between the two.
struct RecordedClock {
  /// Seconds from one look at the system clock to the next.
  private static let lookSeconds = 10.0

  private var sampler = ClockSampler(floor: WeekRollover.liveFloor)
  private var entries: [ClockTable.Entry] = []
  private var disagreement: ClockTable.Disagreement?
  private var lastLook: BootTime?

  /// Whether it is time to look at the system clock again.
  func isLookDue(at now: BootTime) -> Bool {
    lastLook.map { now.seconds(since: $0) >= Self.lookSeconds } ?? true
  }

  /// Looks at the system clock. Returns an entry if the clock was set or synchronised meanwhile,
  /// which dates the session better.
  mutating func look(
    at pair: (boot: BootTime, utc: UTCTime), isSynchronised: Bool
  ) -> ClockTable.Entry? {
    lastLook = pair.boot
    return sampler.observe(boot: pair.boot, system: pair.utc, isSynchronised: isSynchronised)
  }

  /// The clock entry that a fix gives; `nil` if it gives none.
  mutating func observe(_ fix: Fix) -> ClockTable.Entry? { sampler.observe(fix) }

  /// The last entry, at the end.
  mutating func end() -> ClockTable.Entry? { sampler.take() }

  /// Notes an entry. Returns the disagreement of all entries if this is the first to show one.
  mutating func note(_ entry: ClockTable.Entry) -> ClockTable.Disagreement? {
    entries.append(entry)
    guard disagreement == nil, let found = ClockTable(entries).disagreement else { return nil }
    disagreement = found
    return found
  }
}
