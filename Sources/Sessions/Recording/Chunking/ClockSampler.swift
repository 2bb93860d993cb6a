public import Values

/// Selects the clock entries worth storing: one per minute from a session's fixes, and one from the
/// system clock whenever that clock has changed.
///
/// Fixes arrive with a varying delay, so the sampler uses the fix with the shortest delay in each
/// minute. It trusts the receiver's time once three epochs have advanced at the same rate as the
/// boot clock. Until the receiver knows the leap seconds, its time may jump.
public struct ClockSampler: Sendable {
  private static let window: Int64 = 60_000_000_000
  /// The typical minimum delay of a fix in nanoseconds. Receivers report a fix 50 to 500 ms after
  /// the instant to which it applies. Without a pulse from the receiver, the actual delay cannot be
  /// measured.
  public static let usualLatency: Int64 = 100_000_000
  /// Number of consecutive epochs that must agree before the receiver's time is trusted.
  private static let epochs = 3
  /// Nanoseconds by which a step in the receiver's time may differ from the step in the boot clock:
  /// 50 ms, plus the duration of a sentence at 4,800 baud.
  private static let tolerance: Int64 = 220_000_000
  /// Nanoseconds by which the system clock must move relative to the boot clock before another
  /// entry is stored.
  private static let shift: Int64 = 10_000_000

  private let floor: UTCTime
  private var last: (arrival: BootTime, utc: UTCTime)?
  private var agreeing = 0
  private var hasEntry = false
  private var best: ClockTable.Entry?
  private var opened: BootTime?
  private var system: ClockTable.Entry?

  /// If the system clock is earlier than `floor`, it is treated as unset and ignored.
  public init(floor: UTCTime = UTCTime(nanoseconds: 0)) {
    self.floor = floor
  }

  /// Processes a fix. Returns an entry for the first trusted fix, and later one entry per minute:
  /// at the end of the minute, or before a step in the receiver's time.
  public mutating func observe(_ fix: Fix) -> ClockTable.Entry? {
    let wasAgreeing = agreeing
    guard isTrusted(fix) else {
      // If the receiver's time has stepped, the current minute's entry predates the step.
      return agreeing < wasAgreeing ? take() : nil
    }
    let entry = ClockTable.Entry(
      boot: fix.arrival,
      utc: UTCTime(nanoseconds: fix.utc.nanoseconds &+ Self.usualLatency), source: .satellites)
    guard hasEntry else {
      hasEntry = true
      return entry
    }
    var finished: ClockTable.Entry?
    if let opened, fix.arrival.nanoseconds &- opened.nanoseconds >= Self.window {
      finished = take()
    }
    if let best, offset(best) >= offset(entry) { return finished }
    if opened == nil { opened = fix.arrival }
    best = entry
    return finished
  }

  /// Processes simultaneous readings of the boot clock and the system clock. Returns an entry if
  /// the system clock was set, has moved, or has become synchronised.
  public mutating func observe(
    boot: BootTime, system utc: UTCTime, isSynchronised: Bool
  ) -> ClockTable.Entry? {
    let entry = ClockTable.Entry(
      boot: boot, utc: utc, source: isSynchronised ? .synchronised : .system)
    guard floor <= utc else { return nil }
    if let system {
      // After synchronisation, the system clock remains accurate for a while. Later readings
      // without synchronisation are not known to be more accurate.
      if system.source == .synchronised, !isSynchronised { return nil }
      let moved = offset(entry) &- offset(system)
      if system.source == entry.source, moved.magnitude <= Self.shift { return nil }
    }
    system = entry
    return entry
  }

  /// Returns the entry for the current minute. Must be called at the end of a session.
  public mutating func take() -> ClockTable.Entry? {
    defer {
      best = nil
      opened = nil
    }
    return best
  }

  /// Whether enough preceding epochs agree with this fix's epoch.
  private mutating func isTrusted(_ fix: Fix) -> Bool {
    // A manually entered or simulated position does not provide the time.
    guard fix.quality != .manual, fix.quality != .simulated else { return false }
    defer { last = (fix.arrival, fix.utc) }
    guard let last else {
      agreeing = 1
      return false
    }
    let waited = fix.arrival.nanoseconds &- last.arrival.nanoseconds
    let passed = fix.utc.nanoseconds &- last.utc.nanoseconds
    agreeing = passed > 0 && (passed &- waited).magnitude <= Self.tolerance ? agreeing + 1 : 1
    return agreeing >= Self.epochs
  }

  private func offset(_ entry: ClockTable.Entry) -> Int64 {
    entry.utc.nanoseconds &- entry.boot.nanoseconds
  }
}
