public import Values

/// Picks the clock entries worth storing: of the fixes of a session one a minute, and of the system
/// clock one whenever something about it has changed.
///
/// A fix arrives after the instant it speaks of, by an amount that varies; of each minute the one
/// that waited least counts. The receiver's time is believed from the third epoch on whose steps
/// agree with those of the boot clock: before it knows the leap seconds, it may jump.
public struct ClockSampler: Sendable {
  private static let window: Int64 = 60_000_000_000
  /// Nanoseconds by which a fix is late at least, as is usual: receivers begin to speak of an
  /// instant 50 to 500 ms after it. The delay of a single receiver is not known without its pulse.
  public static let usualLatency: Int64 = 100_000_000
  /// Epochs that have to agree.
  private static let epochs = 3
  /// Nanoseconds by which two steps may differ: 50 ms, and what a sentence takes at 4,800 baud.
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

  /// A sampler that has seen nothing. A system clock before `floor` is not set, and dates nothing.
  public init(floor: UTCTime = UTCTime(nanoseconds: 0)) {
    self.floor = floor
  }

  /// Takes a fix; returns an entry with the first that is trusted, and then that of each minute at
  /// its end, or before a step of the receiver's time.
  public mutating func observe(_ fix: Fix) -> ClockTable.Entry? {
    let wasAgreeing = agreeing
    guard isTrusted(fix) else {
      // What is kept of the minute belongs to the time before a step, if it was one.
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

  /// Takes both clocks at one instant; an entry if the system clock was set, was moved, or is
  /// synchronised now and was not before.
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

  /// The entry of the minute that has begun, at the end of a session.
  public mutating func take() -> ClockTable.Entry? {
    defer {
      best = nil
      opened = nil
    }
    return best
  }

  /// Whether enough epochs before this one agree with it.
  private mutating func isTrusted(_ fix: Fix) -> Bool {
    // A position somebody typed in, or a simulator, says nothing of the time.
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
