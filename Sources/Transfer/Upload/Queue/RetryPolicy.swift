public import Values

/// When a destination that did not take something is tried again.
///
/// Events in, a state out; it reads no clock and draws no random numbers. Waits are drawn from the
/// whole span up to their limit (full jitter), so that many gateways which lost the same server do
/// not come back to it in step.
public struct RetryPolicy: Hashable, Sendable {
  /// Whether the destination may be sent to.
  public enum State: Hashable, Sendable {
    /// As much at a time as it takes. Next: `resting`.
    case ready
    /// Nothing is sent until then. Next: `probing`, or `resting` again when it is asked to rest
    /// again.
    case resting(until: BootTime, for: Setback)
    /// The rest is over; one call at a time until one got through. Next: `ready`, `resting`.
    case probing
  }

  /// What it hears of.
  public enum Event: Hashable, Sendable {
    /// Something got through.
    case succeeded
    /// Something did not. `draw` is a random number from 0 up to 1.
    case failed(Setback, draw: Double)
    /// Time has passed.
    case elapsed
    /// The computer has got a network, an address or a route that it had not.
    case networkReturned
    /// The user asked for it now.
    case demanded
  }

  /// Seconds of the longest first wait; each further failure doubles it.
  public static let firstWait = 1.0
  /// Seconds that a wait has at most, as long as it may be a short outage.
  public static let shortLimit = 60.0
  /// Failures after which the outage is a long one.
  public static let patience = 10
  /// Seconds that a wait has at most in a long outage, and until something is tried again that
  /// somebody has to see to.
  public static let longLimit = 900.0
  /// Seconds of the longest rest that a server is granted: a wrong answer must not silence a
  /// gateway for ever.
  public static let longestAskedRest = 86_400.0

  /// Whether the destination may be sent to.
  public private(set) var state = State.ready
  /// Failures since something got through last.
  public private(set) var failures = 0
  /// Whether the clock was trusted when the rest for it began.
  private var restBeganWithTrustedClock = false

  /// A destination that has not failed yet, or one that was asked to rest until then before.
  public init(restingUntil until: BootTime? = nil) {
    if let until {
      state = .resting(
        until: until, for: Setback(.unavailable, "the server asked us to retry later", rest: 0))
    }
  }

  /// Takes note of what happened at `now`.
  public mutating func handle(_ event: Event, at now: BootTime, isClockTrusted: Bool = true) {
    endRest(at: now, isClockTrusted: isClockTrusted)
    switch event {
    case .elapsed: break
    case .succeeded:
      failures = 0
      // A call that began before a rest and got through in it shows that the way is open. It does
      // not show that a server which asked for rest wants more.
      if case .resting(_, let setback) = state, setback.rest != nil { return }
      state = .ready
    case .failed(let setback, let draw):
      // Calls that were under way together fail together: that is one failure.
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
