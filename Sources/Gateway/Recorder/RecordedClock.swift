internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// The clock entries of a recording, from the system clock and from fixes, and how they agree.
struct RecordedClock {
  /// Seconds from one look at the system clock to the next.
  private static let lookSeconds = 10.0

  private var sampler = ClockSampler(floor: WeekRollover.liveFloor)
  private var entries: [ClockTable.Entry] = []
  private var disagreement: ClockTable.Disagreement?
  private var lastLook: BootTime?

  /// Whether the system clock is to be looked at again.
  func isLookDue(at now: BootTime) -> Bool {
    lastLook.map { now.seconds(since: $0) >= Self.lookSeconds } ?? true
  }

  /// Whether it was set or synchronised meanwhile, which dates the session better: an entry if so.
  mutating func look(
    at pair: (boot: BootTime, utc: UTCTime), isSynchronised: Bool
  ) -> ClockTable.Entry? {
    lastLook = pair.boot
    return sampler.observe(boot: pair.boot, system: pair.utc, isSynchronised: isSynchronised)
  }

  /// The entry that a fix makes, if it makes one.
  mutating func observe(_ fix: Fix) -> ClockTable.Entry? { sampler.observe(fix) }

  /// The last entry, at the end.
  mutating func end() -> ClockTable.Entry? { sampler.take() }

  /// Notes an entry: the disagreement of all of them, if this is the first to show one.
  mutating func note(_ entry: ClockTable.Entry) -> ClockTable.Disagreement? {
    entries.append(entry)
    guard disagreement == nil, let found = ClockTable(entries).disagreement else { return nil }
    disagreement = found
    return found
  }
}
