public import Values

/// Decides when a daemon pulls its definitions: if the store has none, or if the last pull is more
/// than a day old. The caller supplies all times and results.
///
/// A failed pull is repeated after one minute, then after two, four and so on, up to an hour.
public struct DefinitionsSchedule: Hashable, Sendable {
  /// Seconds before pulled definitions are considered outdated.
  public static let period = 86_400.0
  /// Seconds to wait after the first failed pull. Later waits are longer.
  public static let shortestRest = 60.0
  /// Longest wait after a failed pull, in seconds.
  public static let longestRest = 3_600.0

  /// The number of failures since the last successful pull.
  public private(set) var failures = 0
  /// The earliest time for the next pull, regardless of the definitions' age.
  private var restingUntil: BootTime?

  public init() {}

  /// Returns whether a pull is due.
  ///
  /// - Parameter age: Seconds since the last pull, according to the system clock, or `nil` before
  ///   the first pull. If the age is negative, the clock is wrong now or was wrong at the last
  ///   pull, so the age is unknown.
  public func isDue(age: Double?, at now: BootTime) -> Bool {
    if let restingUntil, now < restingUntil { return false }
    guard let age else { return true }
    return age < 0 || age > Self.period
  }

  /// Records a pull that fetched definitions or found none for this gateway.
  public mutating func succeeded(at now: BootTime) {
    failures = 0
    // If this pull found no definitions, the age alone would trigger the next pull immediately.
    rest(Self.period, from: now)
  }

  public mutating func failed(at now: BootTime) {
    rest(
      min(Self.longestRest, Self.shortestRest * Double(1 << min(failures, 10))), from: now)
    failures += 1
  }

  /// Returns the seconds until the wait after the last pull ends, or 0 if it has ended.
  public func rest(at now: BootTime) -> Double {
    max(0, restingUntil?.seconds(since: now) ?? 0)
  }

  private mutating func rest(_ seconds: Double, from now: BootTime) {
    restingUntil = now.advanced(bySeconds: seconds)
  }
}
