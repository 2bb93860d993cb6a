public import Values

/// Decides when to retry a destination after it has failed.
///
/// This type receives events and updates its state. It neither reads a clock nor draws random
/// numbers. The backoff is a random fraction of its limit (full jitter). Otherwise, all gateways
/// that use the same server would reconnect at the same time after it fails.
public struct RetryPolicy: Hashable, Sendable {
  /// Whether new calls to the destination may start.
  public enum State: Hashable, Sendable {
    /// Calls may start, up to the permitted number. Next: `resting`.
    case ready
    /// No call may start before the given time. Next: `probing`, `ready` if a call in progress
    /// succeeds, or `resting` again if the server requests another pause.
    case resting(until: BootTime, for: Setback)
    /// The backoff is over. Calls may start one at a time until one succeeds. Next: `ready` or
    /// `resting`.
    case probing
  }

  /// An event that can change the state.
  public enum Event: Hashable, Sendable {
    case succeeded
    /// A call failed. `draw` is a random number between 0 (inclusive) and 1 (exclusive).
    case failed(Setback, draw: Double)
    /// Time has passed.
    case elapsed
    /// The computer has a new network, address or route.
    case networkReturned
    /// The user requested an immediate attempt.
    case demanded
  }

  /// The first backoff's limit in seconds. Each further failure doubles the limit.
  public static let firstWait = 1.0
  /// The maximum backoff, in seconds, until the outage is considered long.
  public static let shortLimit = 60.0
  /// The number of failures after which the outage is considered long.
  public static let patience = 10
  /// The maximum backoff in seconds during a long outage, and the minimum backoff after a failure
  /// that a person must resolve.
  public static let longLimit = 900.0
  /// The longest pause, in seconds, that a server can request. An invalid value must not stop a
  /// gateway forever.
  public static let longestAskedRest = 86_400.0

  public private(set) var state = State.ready
  /// The number of failures since the last success.
  public private(set) var failures = 0
  /// Whether the computer's clock was known to be correct when the current backoff started.
  private var restBeganWithTrustedClock = false

  /// Creates the policy for a destination that has not failed yet. If its server requested a pause
  /// earlier, `until` is the end of that pause.
  public init(restingUntil until: BootTime? = nil) {
    if let until {
      state = .resting(
        until: until, for: Setback(.unavailable, "the server requested a later retry", rest: 0))
    }
  }

  public mutating func handle(_ event: Event, at now: BootTime, isClockTrusted: Bool = true) {
    endRest(at: now, isClockTrusted: isClockTrusted)
    switch event {
    case .elapsed: break
    case .succeeded:
      failures = 0
      // If a call started before the backoff and succeeded during it, the server is reachable.
      // However, if the server requested the pause, it may not accept further calls yet.
      if case .resting(_, let setback) = state, setback.rest != nil { return }
      state = .ready
    case .failed(let setback, let draw):
      // Concurrent calls usually fail together, so their failures count as one.
      if case .resting(let until, _) = state {
        guard let rest = setback.rest else { return }
        let asked = now.advanced(bySeconds: min(rest, Self.longestAskedRest))
        if asked > until { state = .resting(until: asked, for: setback) }
        return
      }
      restBeganWithTrustedClock = isClockTrusted
      state = .resting(until: now.advanced(bySeconds: wait(after: setback, draw)), for: setback)
      failures += 1
    case .networkReturned:
      guard case .resting(_, let setback) = state, setback.rest == nil else { return }
      state = .probing
    case .demanded:
      if case .resting = state { state = .probing }
    }
  }

  private mutating func endRest(at now: BootTime, isClockTrusted: Bool) {
    guard case .resting(let until, let setback) = state else { return }
    let isClockSet = setback.kind == .wrongClock && isClockTrusted && !restBeganWithTrustedClock
    if now >= until || isClockSet { state = .probing }
  }

  /// Returns the backoff in seconds after a setback.
  private func wait(after setback: Setback, _ draw: Double) -> Double {
    switch setback.kind {
    case .rejected, .forbidden, .wrongClock: return max(Self.longLimit, asked(of: setback))
    case .unavailable, .faulty:
      let limit = failures < Self.patience ? Self.shortLimit : Self.longLimit
      // 2^20 s is more than `shortLimit` and `longLimit`.
      let span = min(limit, Self.firstWait * Double(UInt64(1) << UInt64(min(failures, 20))))
      return asked(of: setback) + draw * span
    }
  }

  private func asked(of setback: Setback) -> Double {
    min(max(0, setback.rest ?? 0), Self.longestAskedRest)
  }
}
