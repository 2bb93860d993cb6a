import Recording
import TestSupport
import Testing
import Upload
import Values

@Suite(.computation) struct RetryPolicyTests {
  private let start = BootTime(nanoseconds: 1_000_000_000_000)
  private let away = Setback(.unavailable, "connection refused")

  private func seconds(_ policy: RetryPolicy) -> Double? {
    if case .resting(let until, _) = policy.state { until.seconds(since: start) } else { nil }
  }

  /// Returns the delay after a failure that follows this number of failures without a success in
  /// between.
  private func wait(afterFailures count: Int, _ setback: Setback, draw: Double) -> Double? {
    var policy = RetryPolicy()
    for _ in 0..<count {
      policy.handle(.failed(away, draw: draw), at: start)
      policy.handle(.demanded, at: start)
    }
    policy.handle(.failed(setback, draw: draw), at: start)
    return seconds(policy)
  }

  struct Wait: Sendable {
    var failures: Int
    var longest: Double
  }

  @Test(arguments: [
    Wait(failures: 0, longest: 1), Wait(failures: 1, longest: 2), Wait(failures: 5, longest: 32),
    Wait(failures: 6, longest: 60), Wait(failures: 9, longest: 60),
    Wait(failures: 10, longest: 900), Wait(failures: 500, longest: 900),
  ])
  func `the delay before a retry is random, between zero and a limit that doubles`(_ wait: Wait) {
    #expect(self.wait(afterFailures: wait.failures, away, draw: 0) == 0)
    #expect(self.wait(afterFailures: wait.failures, away, draw: 0.5) == wait.longest / 2)
    #expect(self.wait(afterFailures: wait.failures, away, draw: 1) == wait.longest)
  }

  @Test func `a pause requested by the server is respected, up to a day`() {
    func asking(_ seconds: Double) -> Setback { Setback(.unavailable, "busy", rest: seconds) }
    #expect(wait(afterFailures: 0, asking(120), draw: 0) == 120)
    #expect(wait(afterFailures: 0, asking(120), draw: 1) == 121)
    #expect(wait(afterFailures: 0, asking(1e9), draw: 0) == 86_400)
    #expect(wait(afterFailures: 0, asking(-5), draw: 0) == 0)
  }

  @Test func `uploads are retried a quarter of an hour after a problem that a user must resolve`() {
    #expect(wait(afterFailures: 0, Setback(.rejected, "no token"), draw: 0) == 900)
    #expect(wait(afterFailures: 3, Setback(.wrongClock, "1970"), draw: 0.7) == 900)
  }

  @Test
  func `after a pause, a single request is sent, and its success resets the failure count`() {
    var policy = RetryPolicy()
    policy.handle(.failed(away, draw: 1), at: start)
    #expect(policy.failures == 1)
    policy.handle(.elapsed, at: start.advanced(bySeconds: 0.9))
    #expect(seconds(policy) == 1)
    policy.handle(.elapsed, at: start.advanced(bySeconds: 1))
    #expect(policy.state == .probing)
    policy.handle(.succeeded, at: start.advanced(bySeconds: 2))
    #expect(policy.state == .ready)
    #expect(policy.failures == 0)
  }

  @Test func `requests that fail at the same time are counted as one failure`() {
    var policy = RetryPolicy()
    for _ in 0..<4 { policy.handle(.failed(away, draw: 1), at: start) }
    #expect(policy.failures == 1)
    #expect(seconds(policy) == 1)
  }

  @Test func `a later response can lengthen the pause before a retry but never shortens it`() {
    var policy = RetryPolicy()
    policy.handle(.failed(Setback(.unavailable, "busy", rest: 20), draw: 0), at: start)
    policy.handle(.failed(Setback(.unavailable, "busy", rest: 50), draw: 0), at: start)
    #expect(seconds(policy) == 50)
    policy.handle(.failed(Setback(.unavailable, "busy", rest: 5), draw: 0), at: start)
    policy.handle(.succeeded, at: start)
    #expect(seconds(policy) == 50)
  }

  @Test func `when the network returns, the pause ends unless the server has requested it`() {
    var policy = RetryPolicy()
    policy.handle(.failed(away, draw: 1), at: start)
    policy.handle(.networkReturned, at: start)
    #expect(policy.state == .probing)
    policy = RetryPolicy()
    policy.handle(.failed(Setback(.unavailable, "busy", rest: 20), draw: 0), at: start)
    policy.handle(.networkReturned, at: start)
    #expect(seconds(policy) == 20)
    policy.handle(.demanded, at: start)
    #expect(policy.state == .probing)
  }

  @Test func `setting the clock ends only a pause that was caused by the clock`() {
    let wrong = Setback(.wrongClock, "the clock shows 1970")
    var policy = RetryPolicy()
    policy.handle(.failed(wrong, draw: 0), at: start, isClockTrusted: false)
    policy.handle(.elapsed, at: start, isClockTrusted: false)
    #expect(seconds(policy) == 900)
    policy.handle(.elapsed, at: start, isClockTrusted: true)
    #expect(policy.state == .probing)
    // The kernel reported a trusted clock from the beginning, so setting the clock has no effect.
    policy = RetryPolicy()
    policy.handle(.failed(wrong, draw: 0), at: start, isClockTrusted: true)
    policy.handle(.elapsed, at: start, isClockTrusted: true)
    #expect(seconds(policy) == 900)
    policy = RetryPolicy()
    policy.handle(.failed(away, draw: 1), at: start, isClockTrusted: false)
    policy.handle(.elapsed, at: start, isClockTrusted: true)
    #expect(seconds(policy) == 1)
  }

  @Test
  func `a destination is always retried within a day and a quarter of an hour`() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the retry history: \(seed)")
    var random = SeededGenerator(seed: seed)
    var policy = RetryPolicy()
    var now = start
    for _ in 0..<20_000 {
      now = now.advanced(bySeconds: 100 * random.unit())
      let kinds: [Setback.Kind] = [.unavailable, .faulty, .rejected, .wrongClock]
      let rest: Double? =
        Bool.random(using: &random) ? nil : random.unit() * 1e6 - 1e3
      let events: [RetryPolicy.Event] = [
        .succeeded, .elapsed, .networkReturned, .demanded,
        .failed(
          Setback(kinds.randomElement(using: &random) ?? .faulty, "", rest: rest),
          draw: random.unit()),
      ]
      guard let event = events.randomElement(using: &random) else { continue }
      let before = policy
      policy.handle(event, at: now, isClockTrusted: .random(using: &random))
      if case .resting(let until, _) = policy.state, policy != before {
        #expect(until >= now && until.seconds(since: now) <= 86_400 + 900)
      }
      if event == .succeeded { #expect(policy.failures == 0) }
    }
  }
}
