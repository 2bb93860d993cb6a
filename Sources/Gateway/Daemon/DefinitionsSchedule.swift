public import Values

/// Decides when a daemon pulls its definitions: if it has none, or if the last pull is more than a
/// day old. It takes times and results, and reads no clock.
///
/// A failed pull is repeated after one minute, then after two, four and so on, up to an hour.
public struct DefinitionsSchedule: Hashable, Sendable {
  /// Seconds for which a pulled set stays current.
  public static let period = 86_400.0
  /// Seconds to wait after the first failure; later waits are longer.
  public static let shortestRest = 60.0
  /// Longest wait after a failure, in seconds.
  public static let longestRest = 3_600.0

  /// Failures since the last successful pull.
  public private(set) var failures = 0
  /// No pull before this time, whatever the age of the set.
  private var restingUntil: BootTime?

  public init() {}

  /// Whether to pull now.
  ///
  /// - Parameter age: Seconds since the last pull by the system clock; `nil` if there was none. A
  ///   negative age means that the clock was wrong at one of the two times, so the age is unknown.
  public func isDue(age: Double?, at now: BootTime) -> Bool {
    if let restingUntil, now < restingUntil { return false }
    guard let age else { return true }
    return age < 0 || age > Self.period
  }

  /// Notes a pull that brought a set or found that there is none for this gateway.
  public mutating func succeeded(at now: BootTime) {
    failures = 0
    // Without a stored set, or with a clock that stands still, the age alone would trigger the next
    // pull at once.
    rest(Self.period, from: now)
  }

  public mutating func failed(at now: BootTime) {
    rest(
      min(Self.longestRest, Self.shortestRest * Double(1 << min(failures, 10))), from: now)
    failures += 1
  }

  /// Seconds until the next attempt after a failure; 0 without a rest.
  public func rest(at now: BootTime) -> Double {
    max(0, restingUntil?.seconds(since: now) ?? 0)
  }

  private mutating func rest(_ seconds: Double, from now: BootTime) {
    restingUntil = now.advanced(bySeconds: seconds)
  }
}
