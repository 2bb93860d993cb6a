public import Values

/// Selects the clock entries worth storing: one a minute from the fixes of a session, and one from
/// the system clock whenever it has changed.
///
/// A fix arrives with a varying delay; the sampler uses the fix of each minute with the shortest
/// delay. It trusts the receiver's time from the third epoch on whose steps agree with those of the
/// boot clock. Before the receiver knows the leap seconds, its time may jump.
public struct ClockSampler: Sendable {
  private static let window: Int64 = 60_000_000_000
  /// The usual least delay of a fix in nanoseconds: receivers report an instant 50 to 500 ms after
  /// it. The delay of a single receiver is not known without its pulse.
  public static let usualLatency: Int64 = 100_000_000
  /// Number of epochs that have to agree.
  private static let epochs = 3
  /// Nanoseconds by which two steps may differ: 50 ms, plus the duration of a sentence at 4,800
  /// baud.
  private static let tolerance: Int64 = 220_000_000
  /// Nanoseconds by which the system clock has to move for another entry.
  private static let shift: Int64 = 10_000_000

  private let floor: UTCTime
  private var last: (arrival: BootTime, utc: UTCTime)?
  private var agreeing = 0
  private var hasEntry = false
  private var best: ClockTable.Entry?
  private var opened: BootTime?
  private var system: ClockTable.Entry?

  /// A sampler without entries. A system clock before `floor` counts as not set, and is ignored.
  public init(floor: UTCTime = UTCTime(nanoseconds: 0)) {
    self.floor = floor
  }

  /// Takes a fix. Returns an entry with the first trusted fix, and later the entry of each minute
  /// at its end, or before a step of the receiver's time.
  public mutating func observe(_ fix: Fix) -> ClockTable.Entry? {
    let wasAgreeing = agreeing
    guard isTrusted(fix) else {
      // The entry of the minute belongs to the time before a step, if there was one.
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

  /// Takes both clocks at one instant. Returns an entry if the system clock was set, was moved, or
  /// has become synchronised.
  public mutating func observe(
    boot: BootTime, system utc: UTCTime, isSynchronised: Bool
  ) -> ClockTable.Entry? {
    let entry = ClockTable.Entry(
      boot: boot, utc: utc, source: isSynchronised ? .synchronised : .system)
    guard floor <= utc else { return nil }
    if let system {
      // Once synchronised, the system clock stays right for a while. Later readings without
      // synchronisation are not known to be better.
      if system.source == .synchronised, !isSynchronised { return nil }
      let moved = offset(entry) &- offset(system)
      if system.source == entry.source, moved.magnitude <= Self.shift { return nil }
    }
    system = entry
    return entry
  }

  /// The entry of the minute under way, at the end of a session.
  public mutating func take() -> ClockTable.Entry? {
    defer {
      best = nil
      opened = nil
    }
    return best
  }

  /// Whether enough epochs before this one agree with it.
  private mutating func isTrusted(_ fix: Fix) -> Bool {
    // A typed-in position or a simulator gives no time.
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
