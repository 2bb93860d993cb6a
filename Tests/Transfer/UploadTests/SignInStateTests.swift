@testable import Upload
import TestSupport
import Testing
import Values

@Suite(.computation) struct SignInStateTests {
  private let first = BearerToken(text: "first", account: "uid")
  private let second = BearerToken(text: "second", account: "uid")

  private func time(_ seconds: Int64) -> BootTime {
    BootTime(nanoseconds: seconds * 1_000_000_000)
  }

  @Test func `a token is used until five minutes before it expires`() {
    var state = SignInState()
    #expect(state.step(at: time(100)) == .signIn)
    state.note(.init(token: first, seconds: 3_600), askedAt: time(100))
    #expect(state.step(at: time(100)) == .use(first))
    #expect(state.step(at: time(100 + 3_299)) == .use(first))
    #expect(state.step(at: time(100 + 3_300)) == .signIn)
  }

  @Test func `the refresh token is used to request new tokens until it is rejected`() {
    var state = SignInState()
    state.note(.init(token: first, seconds: 3_600, refresh: "r1"), askedAt: time(0))
    #expect(state.step(at: time(3_300)) == .refresh("r1"))
    state.note(.init(token: second, seconds: 3_600, refresh: "r2"), askedAt: time(3_300))
    #expect(state.step(at: time(3_301)) == .use(second))
    #expect(state.step(at: time(6_600)) == .refresh("r2"))
    state.noteRefreshRefused()
    #expect(state.step(at: time(6_600)) == .signIn)
  }

  @Test func `a rejected token is not used again, and a newer token is kept`() {
    var state = SignInState()
    state.note(.init(token: first, seconds: 3_600, refresh: "r"), askedAt: time(0))
    state.noteRejected(first)
    #expect(state.step(at: time(1)) == .refresh("r"))
    state.note(.init(token: second, seconds: 3_600, refresh: "r"), askedAt: time(1))
    state.noteRejected(first)
    #expect(state.step(at: time(2)) == .use(second))
  }

  @Test func `a token with a short lifetime is used for half of that time`() {
    var state = SignInState()
    state.note(.init(token: first, seconds: 60), askedAt: time(0))
    #expect(state.step(at: time(29)) == .use(first))
    #expect(state.step(at: time(30)) == .signIn)
  }
}
