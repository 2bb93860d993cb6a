public import Values

/// Decides when to retry a destination after a failure.
///
/// Events in, a state out; it reads no clock and draws no random numbers. Waits are drawn from the
/// whole span up to their limit (full jitter), so that many gateways that lost the same server do
/// not return to it in step.
public struct RetryPolicy: Hashable, Sendable {
  /// Whether the destination may be sent to.
  public enum State: Hashable, Sendable {
    /// Any number of calls up to the limits. Next: `resting`.
    case ready
    /// No call before that time. Next: `probing`, or `resting` again if the server asks again.
    case resting(until: BootTime, for: Setback)
    /// The rest is over; one call at a time until one succeeds. Next: `ready`, `resting`.
    case probing
  }

  /// Something that may change the state.
  public enum Event: Hashable, Sendable {
    /// A call succeeded.
    case succeeded
    /// A call failed. `draw` is a random number from 0 up to 1.
    case failed(Setback, draw: Double)
    /// Time has passed.
    case elapsed
    /// The computer has a new network, address or route.
    case networkReturned
    /// The user asked for an attempt now.
    case demanded
  }

  /// Seconds of the longest first wait; each further failure doubles it.
  public static let firstWait = 1.0
  /// Longest wait in seconds while the outage may be a short one.
  public static let shortLimit = 60.0
  /// Failures after which the outage counts as a long one.
  public static let patience = 10
  /// Longest wait in seconds in a long outage, and the wait after a failure that a person has to
  /// resolve.
  public static let longLimit = 900.0
  /// Longest rest in seconds that a server may ask for: a wrong answer must not silence a gateway
  /// for ever.
  public static let longestAskedRest = 86_400.0

  public private(set) var state = State.ready
  /// Failures since the last success.
  public private(set) var failures = 0
  /// Whether the clock was trusted when the present rest began.
  private var restBeganWithTrustedClock = false

  /// A destination that has not failed yet, or one that was already asked to rest until that time.
  public init(restingUntil until: BootTime? = nil) {
    if let until {
      state = .resting(
        until: until, for: Setback(.unavailable, "the server asked us to retry later", rest: 0))
    }
  }

  /// Updates the state by an event at the time `now`.
  public mutating func handle(_ event: Event, at now: BootTime, isClockTrusted: Bool = true) {
    endRest(at: now, isClockTrusted: isClockTrusted)
    switch event {
    case .elapsed: break
    case .succeeded:
      failures = 0
      // A call that began before a rest and succeeded during it shows that the server is reachable.
      // It does not show that a server that asked for a rest wants more.
      if case .resting(_, let setback) = state, setback.rest != nil { return }
      state = .ready
    case .failed(let setback, let draw):
      // Calls that were under way together fail together: that counts as one failure.
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

  /// Seconds to wait.
  private func wait(after setback: Setback, _ draw: Double) -> Double {
    switch setback.kind {
    case .rejected, .forbidden, .wrongClock: return max(Self.longLimit, asked(of: setback))
    case .unavailable, .faulty:
      let limit = failures < Self.patience ? Self.shortLimit : Self.longLimit
      // 2^20 s is beyond either limit.
      let span = min(limit, Self.firstWait * Double(UInt64(1) << UInt64(min(failures, 20))))
      return asked(of: setback) + draw * span
    }
  }

  private func asked(of setback: Setback) -> Double {
    min(max(0, setback.rest ?? 0), Self.longestAskedRest)
  }
}
